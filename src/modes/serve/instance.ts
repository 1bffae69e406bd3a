/** An instance: a server of one phase, of a size. Deployments are put together from them (phases.ts). */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceCandidate, Site } from '../../inference/phase.ts'
import type { Workbench } from '../../inference/workbench.ts'
import type { Stop } from '../../patience.ts'
import type { GenerateWorkload, InferenceProblem, PrefillWorkload } from '../../problem.ts'
import type { Bytes, Seconds } from '../../units.ts'

export interface PrefillInstance {
  readonly size: InstanceSize
  readonly candidate: InferenceCandidate
  /** Taken together. */
  readonly prompts: number
  /** Of all of them. */
  readonly seconds: Seconds
  readonly workspace: Bytes
  readonly storage: string
}

export interface GenerateInstance {
  readonly size: InstanceSize
  /** With one layout for each component. */
  readonly site: Site
  /** Where the layouts are from. */
  readonly chosen: InferenceCandidate
  /** Sequences that memory and the objective for a token allow. */
  readonly most: number
  readonly storage: string
  /** Infinity where so many do not fit. */
  readonly stepSeconds: (batch: number) => Seconds
  readonly resident: (batch: number) => Resident
}

/** Bytes on a chip: what stays, what is live while a component runs, and what both may take. */
export interface Resident {
  readonly bytes: Bytes
  readonly workspace: Bytes
  readonly budget: Bytes
}

export interface InstanceSize {
  readonly cluster: Cluster
  readonly bench: Workbench
  readonly prefillProblem: (prompts: number) => InferenceProblem<PrefillWorkload>
  readonly generateProblem: (batch: number | 'max') => InferenceProblem<GenerateWorkload>
  /**
   * For each number of prompts the best of all, and the best of every mesh that generation may have as well. What was found
   * until the stop is not kept for those who ask again.
   */
  readonly prefills: (stop?: Stop) => readonly PrefillInstance[]
  readonly generates: (maxStepSeconds: Seconds, stop?: Stop) => readonly GenerateInstance[]
  /** What the server of a generate instance can do for prompts. */
  readonly prefillsBeside: (generate: GenerateInstance, stop?: Stop) => readonly PrefillInstance[]
}
