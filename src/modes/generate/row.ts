/** Generation: repeated steps, each of which adds a token to every sequence of a batch. */
import { compact } from '../../compact.ts'
import { counted } from '../../plan/explain/figures.ts'
import type { GenerateProblem, GenerateWorkload } from '../../problem.ts'
import type { PhaseRow } from '../phase-row.ts'
import { generateFields } from './fields.ts'
import { paretoCandidates } from './pareto.ts'
import { generationDemand, generationPhase } from './phase.ts'

export const generate: PhaseRow<GenerateWorkload> = {
  positions: ({ contextLength }) => contextLength,
  short: (workload) => ({ ...workload, contextLength: workload.meanContextLength }),
  demand: generationDemand,
  phase: generationPhase,
  fields: generateFields,
  frontier: paretoCandidates,
  unhurried,
  limitSeconds: ({ maxStepSeconds }) => maxStepSeconds,
  prompts: () => null,
  inPipeline: (stages, { microbatches }) =>
    `${stages} hold ${counted(microbatches, 'group')} of sequences at once; every chip keeps the caches of all of them.`,
  cautions: (problem) =>
    compact(pagedCaution(problem.workload), cappedCaution(problem.workload), fullestCaution(problem)),
}

function cappedCaution({ maxSequences }: GenerateWorkload): string | null {
  if (maxSequences === undefined) return null
  return `at most ${maxSequences} sequences run at once, which is a cap: where caches hold fewer of contextLength (or meanContextLength) positions each, the plan's batch is those, and others wait`
}

function pagedCaution({ meanContextLength, contextLength }: GenerateWorkload): string | null {
  if (meanContextLength >= contextLength) return null
  return `caches are taken to be paged: ${meanContextLength} positions of each sequence are kept and read on average, not ${contextLength}`
}

/** Whoever asks for the best latency with the largest batch may not have meant both. */
function fullestCaution({ objective, workload }: GenerateProblem): string | null {
  const { batchSequences, maxStepSeconds } = workload
  if (objective !== 'latency' || batchSequences !== 'max' || maxStepSeconds !== undefined) return null
  return 'batchSequences "max" holds the most sequences that fit, with which every token takes longest: pareto of /optimize has smaller batches with faster steps, and workload.maxStepSeconds holds the most that keep to a step'
}

function unhurried(problem: GenerateProblem): GenerateProblem {
  const { maxStepSeconds: _limit, ...workload } = problem.workload
  const batchSequences = workload.batchSequences === 'max' ? 1 : workload.batchSequences
  return { ...problem, workload: { ...workload, batchSequences } }
}
