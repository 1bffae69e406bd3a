/** An instance is a server of one size that prefills or generates; deployments consist of them (instance-size.ts). */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import type { Workbench } from '../../inference/workbench.ts'
import type { Stop } from '../../patience.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Part, Steps } from './part.ts'
import type { Requests } from './requests.ts'

export interface PrefillInstance {
  readonly size: InstanceSize
  readonly candidate: InferenceCandidate
  /** Prompts read together. */
  readonly prompts: number
  /** Time for all of them together. */
  readonly seconds: Seconds
  readonly workspace: Bytes
  readonly storage: string
}

export interface GenerateInstance extends Steps {
  readonly size: InstanceSize
  /** The plan that the layouts were taken from. */
  readonly chosen: InferenceCandidate
  readonly storage: string
}

/** Positions of a mean prompt, and of the longest request. */
export type ReadLengths = Pick<Requests, 'promptLength' | 'contextLength'>

export interface InstanceSize {
  readonly cluster: Cluster
  /** What is the same for all frameworks. */
  readonly part: Part
  readonly bench: Workbench
  /**
   * For each number of prompts, the best instance of all, and the best on every mesh that generation may also have. A
   * result that `stop` cut short is not cached.
   */
  readonly prefills: (stop?: Stop) => readonly PrefillInstance[]
  /** The same of servers that do nothing else and have room for a request of so many positions. */
  readonly prefillsHolding: (lengths: ReadLengths, stop?: Stop) => readonly PrefillInstance[]
  readonly generates: (maxTokenSeconds: Seconds, stop?: Stop) => readonly GenerateInstance[]
  /** Prefill instances that the server of a generate instance can also be. */
  readonly prefillsBeside: (generate: GenerateInstance, stop?: Stop) => readonly PrefillInstance[]
}
