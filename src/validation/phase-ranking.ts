/** By what plans of prefill and generation are better than others. */
import { secondsText } from '../plan/explain/figures.ts'
import type { PhaseProblem } from '../problem.ts'
import { byStep, type Ranking } from './check.ts'

/** A batch of `max` differs from plan to plan: of those that hold more sequences a step may well be longer. */
export function phaseRanking({ workload, objective }: PhaseProblem): Ranking {
  return workload.batchSequences === 'max' && objective !== 'latency' ? byToken : byStep
}

const byToken: Ranking = {
  says: 'Of all sequences together a token takes',
  measure: ({ tokensPerSecond }) => 1 / tokensPerSecond,
  text: secondsText,
}
