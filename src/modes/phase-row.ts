/** All that distinguishes one phase of inference from the other; each mode's folder has its row. */
import type { Demand, MeshesOf } from '../inference/meshes.ts'
import type { InferenceModel } from '../inference/model.ts'
import type { InferenceCandidate, Phase } from '../inference/phase.ts'
import type { Workbench } from '../inference/workbench.ts'
import type { Stop } from '../patience.ts'
import type { InferencePlan } from '../plan/inference-plan.ts'
import type { InferenceProblem, PhaseProblem } from '../problem.ts'
import type { Seconds } from '../units.ts'
import type { Frontier } from './generate/pareto.ts'

export type PhaseWorkload = PhaseProblem['workload']

export interface PhaseRow<Workload extends PhaseWorkload> {
  /** The most positions that a sequence has. */
  readonly positions: (workload: Workload) => number
  /** The same without a request that is longer than its sequences. */
  readonly short: (workload: Workload) => Workload
  /** What the workload requires of a mesh, beyond what the model does. */
  readonly demand: (workload: Workload) => Demand
  readonly phase: (
    model: InferenceModel,
    problem: InferenceProblem<Workload>,
    stop?: Stop,
    meshesOf?: MeshesOf,
  ) => Phase
  /** The fields that only plans of this phase have. */
  readonly fields: (bench: Workbench, workload: Workload, candidate: InferenceCandidate) => PhaseFields
  /** Latency against cost over batches of any size; null if the workload fixes the batch. */
  readonly frontier:
    | ((model: InferenceModel, problem: InferenceProblem<Workload>, stop: Stop) => Frontier)
    | null
  /** The same problem without a time limit, with the smallest batch if `max` was asked for; null if the phase has no limit. */
  readonly unhurried: ((problem: InferenceProblem<Workload>) => InferenceProblem<Workload>) | null
  readonly limitSeconds: (workload: Workload) => Seconds | undefined
  /** Prompts that a written plan has to take; null if it may choose its batch, which then replaces that of the workload. */
  readonly prompts: (workload: Workload) => number | null
  /** Sentence about how stages and groups work together. */
  readonly inPipeline: (stages: string, plan: Piped) => string
  /** Warnings about assumptions that may not hold. */
  readonly cautions: (problem: InferenceProblem<Workload>) => readonly string[]
}

export type PhaseFields = Partial<
  Pick<InferencePlan, 'maxBatchSequences' | 'criticalBatchTokens' | 'timeToFirstTokenSeconds' | 'speculation'>
>

export type Piped = Pick<InferencePlan, 'microbatches' | 'timeSeconds' | 'stepTimeSeconds'>
