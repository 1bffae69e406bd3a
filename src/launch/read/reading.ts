/** What a launch file says, in the words of a request; what it is silent of is left out. */
import type { Chip } from '../../hardware/chip.ts'
import type { Framework } from '../framework.ts'

/** Some are read alone: nothing is written for them. */
export type ReadFramework = Framework | 'megatron-bridge' | 'deepspeed' | 'accelerate'

export interface LaunchReading {
  readonly framework: ReadFramework
  /** That the names were checked against. */
  readonly version: string
  /** Dimensions of a model, its vocabulary perhaps left out; null where it does not say them. */
  readonly model: Readonly<Record<string, unknown>> | null
  /** The model by a name of the file's own, where it has one. */
  readonly named?: string
  readonly hardware: { readonly chips?: number }
  /** Of the chips, where the file says it. */
  readonly kind?: Chip['kind']
  readonly workload: Readonly<Record<string, unknown>>
  /** Of the workload, where neither the file nor the request says it. */
  readonly assumed?: Readonly<Record<string, unknown>>
  readonly precision: Readonly<Record<string, string>>
  readonly assumptions: Readonly<Record<string, boolean | number>>
  /** Assumptions, where neither the request has them nor is of the book's. */
  readonly costed?: Readonly<Record<string, number>>
  /** Options for want of which each of these is so; a command that we write has them. */
  readonly lacking?: Readonly<Record<string, readonly string[]>>
  /** Of each chip's memory, what it may fill. */
  readonly memoryFraction?: number
  readonly plan: Readonly<Record<string, unknown>>
  /** Counted otherwise than it is written, or as if it were there. */
  readonly notes: readonly string[]
  /** Known, and without a say in how a model is laid out. */
  readonly ignored: readonly string[]
  readonly notUnderstood: readonly string[]
  /** Options that are read of such a file, one of which may have been meant. */
  readonly known?: readonly string[]
  /** Why it cannot be read. */
  readonly faults: readonly string[]
  /** Values that the framework does not have. */
  readonly misnamed?: readonly Misnamed[]
}

export interface Misnamed {
  readonly option: string
  readonly value: string
  /** Those that there are. */
  readonly among: readonly string[]
}

/** What a request says beside a launch file, as far as reading takes it. */
export interface ReadingContext {
  readonly chips: number | null
  /** Of a torus. */
  readonly slices: number
  /** Of the workload, where the request names one. */
  readonly mode: string | null
  /** Whether Transformer Engine has user buffers on its GPUs; it is taken to where it is not known. */
  readonly userBuffers?: boolean
  /** Where the request names one of the catalogue. */
  readonly chip?: Pick<Chip, 'name' | 'kind' | 'hbmBytes'>
  /** What there is to know of the model; null where it is not known yet. */
  readonly model: KnownModel | null
}

export interface KnownModel {
  readonly layers: number
  readonly latent: boolean
  /** Attention and MLP are one component. */
  readonly parallelBlocks: boolean
  readonly experts: boolean
  readonly maxSequenceLength: number | null
}
