/** An inference problem as the service would make it from a request: the setting as in problem.ts, with a phase. */
import { javascriptLpSolver } from '../solvers/javascript-lp-solver.ts'
import type {
  GenerateWorkload,
  InferenceProblem,
  InferenceWorkload,
  Precision,
  PrefillWorkload,
} from '../src/problem.ts'
import { bf16, type ProblemOptions, problem } from './problem.ts'

type TrainingAlone =
  | 'workload'
  | 'batchTokens'
  | 'sequenceLength'
  | 'optimizer'
  | 'rematerialization'
  | 'schedules'

export interface InferenceOptions<Workload> extends Omit<ProblemOptions, TrainingAlone | 'precision'> {
  readonly workload: Workload
  /** What is left out is bf16. */
  readonly precision?: Partial<Precision>
}

export const solver = javascriptLpSolver

export function inferenceProblem<Workload extends InferenceWorkload>({
  workload,
  precision,
  ...options
}: InferenceOptions<Workload>): InferenceProblem<Workload> {
  const setting = problem({
    ...options,
    precision: { ...bf16, ...precision },
    batchTokens: 1,
    sequenceLength: 1,
  })
  return { ...setting, workload }
}

/** Sequences of one length. */
export function generation(
  batchSequences: number | 'max',
  contextLength: number,
  more: Partial<GenerateWorkload> = {},
): GenerateWorkload {
  return { mode: 'generate', batchSequences, contextLength, meanContextLength: contextLength, ...more }
}

export function prompts(
  batchSequences: number,
  promptLength: number,
  more: Partial<PrefillWorkload> = {},
): PrefillWorkload {
  return { mode: 'prefill', batchSequences, promptLength, cachedPrefixLength: 0, ...more }
}
