/** What tells one phase of inference from the other, in data: a row each, in the folder of its mode. */
import type { Demand, MeshesOf } from '../inference/meshes.ts'
import type { InferenceModel } from '../inference/model.ts'
import type { InferenceCandidate, Phase } from '../inference/phase.ts'
import type { Stop } from '../patience.ts'
import type { InferencePlan } from '../plan/inference-plan.ts'
import type { InferenceProblem, PhaseProblem } from '../problem.ts'
import type { Seconds } from '../units.ts'
import type { Frontier } from './generate/pareto.ts'

export type PhaseWorkload = PhaseProblem['workload']

export interface PhaseRow<Workload extends PhaseWorkload> {
  /** Positions that a sequence may have. */
  readonly positions: (workload: Workload) => number
  /** What a pass asks of a mesh beyond the model. */
  readonly demand: (workload: Workload) => Demand
  readonly phase: (
    model: InferenceModel,
    problem: InferenceProblem<Workload>,
    stop?: Stop,
    meshesOf?: MeshesOf,
  ) => Phase
  /** What its plans say beyond a step. */
  readonly fields: (model: InferenceModel, workload: Workload, candidate: InferenceCandidate) => PhaseFields
  /** Batches of any size, latency against cost; null where the workload has the one that it names. */
  readonly frontier:
    | ((model: InferenceModel, problem: InferenceProblem<Workload>, stop: Stop) => Frontier)
    | null
  /** The same without a limit of time, with the smallest batch where any would do; null where there is no limit. */
  readonly unhurried: ((problem: InferenceProblem<Workload>) => InferenceProblem<Workload>) | null
  readonly limitSeconds: (workload: Workload) => Seconds | undefined
  /** Prompts that a written plan has to have; null where it may have any batch, and its own is the workload's then. */
  readonly prompts: (workload: Workload) => number | null
  /** How so many stages and groups go on. */
  readonly inPipeline: (stages: string, plan: Piped) => string
  /** What is taken to be so, and need not. */
  readonly cautions: (problem: InferenceProblem<Workload>) => readonly string[]
}

export type PhaseFields = Partial<
  Pick<InferencePlan, 'maxBatchSequences' | 'criticalBatchTokens' | 'timeToFirstTokenSeconds' | 'speculation'>
>

export type Piped = Pick<InferencePlan, 'microbatches' | 'timeSeconds' | 'stepTimeSeconds'>
