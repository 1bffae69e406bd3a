/** How plans of prefill and of generation are compared. */
import { secondsText } from '../plan/explain/figures.ts'
import type { PhaseProblem } from '../problem.ts'
import { byStep, type Ranking } from './check.ts'

/** With a batch of `max`, plans hold different numbers of sequences, so that a longer step may be better: they are compared by time per token. */
export function phaseRanking({ workload, objective }: PhaseProblem): Ranking {
  return workload.batchSequences === 'max' && objective !== 'latency' ? byToken : byStep
}

const byToken: Ranking = {
  says: 'Of all sequences together a token takes',
  measure: ({ tokensPerSecond }) => 1 / tokensPerSecond,
  text: secondsText,
}
