/** Prefill: all prompts of a batch pass through the model once, which a user waits for before the first token. */
import { percent } from '../../plan/explain/figures.ts'
import type { PrefillWorkload } from '../../problem.ts'
import type { PhaseRow } from '../phase-row.ts'
import { longestPrompt, prefillDemand, prefillPhase } from './phase.ts'

export const prefill: PhaseRow<PrefillWorkload> = {
  positions: longestPrompt,
  short: ({ contextLength: _, ...workload }) => workload,
  demand: prefillDemand,
  phase: prefillPhase,
  fields: (_bench, _workload, { seconds }) => ({ timeToFirstTokenSeconds: seconds }),
  frontier: null,
  unhurried: null,
  limitSeconds: () => undefined,
  prompts: ({ batchSequences }) => batchSequences,
  inPipeline: (stages, { microbatches, timeSeconds, stepTimeSeconds }) =>
    `${stages} take ${microbatches} groups or chunks of prompts one behind the other, and wait for each other ${percent(timeSeconds.pipelineBubble / stepTimeSeconds)} of the time.`,
  cautions: () => [],
}
