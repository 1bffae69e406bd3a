/** What a launch file says, in the words of a request; what it does not say is left out. */
import type { Chip } from '../../hardware/chip.ts'
import { type Framework, frameworks } from '../framework.ts'
import type { KnownModel } from './known-model.ts'
import type { CutOff } from './shell/cut-off.ts'
import type { Started } from './started.ts'

/** Some frameworks are only read: no files are written for them. */
export type ReadFramework = Framework | 'megatron-bridge' | 'deepspeed' | 'accelerate'

/** The framework among those that plans are written for which launches what a file says; undefined if none does. */
export function writtenFor(framework: ReadFramework): Framework | undefined {
  return framework === 'megatron-bridge' ? 'megatron' : frameworks.find((name) => name === framework)
}

export interface LaunchReading {
  readonly framework: ReadFramework
  /** The release that names were checked against. */
  readonly version: string
  /** The model's dimensions, possibly without its vocabulary; null if the file does not give them. */
  readonly model: Readonly<Record<string, unknown>> | null
  /** False where what the file runs has no layers that predict further tokens, whatever its model has. */
  readonly furtherLayers?: false
  /** Whether what `model` leaves out is what the framework takes without it, and nothing else says more of the model. */
  readonly wholeModel?: boolean
  /** A model of the catalogue that has the dimensions of the file's own: the file names no release of it, and runs any of that shape. */
  readonly modelOf?: string
  /** The file's own name for the model, if it has one. */
  readonly named?: string
  /** The file's name for the model's tokenizer, if it has one. */
  readonly tokenizer?: string
  /** What it says of the model beside that name. */
  readonly besideName?: BesideName
  readonly hardware: { readonly chips?: number }
  /** Tasks of Slurm, where each of them is a rank. */
  readonly tasks?: number
  /** Kind of the chips, if the file says it. */
  readonly kind?: Chip['kind']
  readonly workload: Readonly<Record<string, unknown>>
  /** Workload fields to use if neither the file nor the request sets them. */
  readonly assumed?: Readonly<Record<string, unknown>>
  /** Most sequences that the servers run at once, a cap: of prompts, the batch if the request gives none. */
  readonly mostSequences?: number
  readonly precision: Readonly<Record<string, string>>
  readonly assumptions: Readonly<Record<string, boolean | number | string>>
  /** Assumptions to use if the request sets none and does not ask for the book's. */
  readonly costed?: Readonly<Record<string, number | string | boolean>>
  /** For each of these assumptions, the missing options that cause it; commands that we write have them. */
  readonly lacking?: Readonly<Record<string, readonly string[]>>
  /** Fraction of each chip's memory that the server may fill. */
  readonly memoryFraction?: number
  readonly plan: Readonly<Record<string, unknown>>
  /** What is counted differently from how it is written, or as if it were there. */
  readonly notes: readonly string[]
  /** Settings that are known not to affect the layout. */
  readonly ignored: readonly string[]
  readonly notUnderstood: readonly string[]
  /** Words that may be settings but for the dashes, or the sign, that these have, with what follows them. */
  readonly undashed?: readonly string[]
  /** Settings whose dashes the framework does not take, with what is meant: null where no name is like it. */
  readonly misdashed?: readonly Misdashed[]
  /** Lines of options that no command goes on to, so that what runs is without them. */
  readonly cutOff?: readonly CutOffAt[]
  /** Options that are read from such a file, to suggest what a misspelled one may have meant. */
  readonly known?: readonly string[]
  /** Options by the short names that they have behind one hyphen, where such a name behind two is none. */
  readonly shortNames?: Readonly<Record<string, string>>
  /** Whether the framework's own program is started, which refuses what it does not know; one of the user's own may have options of its own. */
  readonly refuses?: boolean
  /** Those of the notes for which what runs is hardly what was meant, such as GPUs that stay idle. */
  readonly doubts?: readonly string[]
  /** Those of the notes because of which other arrays are in memory than where the file runs, so that it is not said to fit. */
  readonly unheld?: readonly string[]
  /** Those of the notes for which the framework does not start what the file says, as it is written. */
  readonly refusals?: readonly string[]
  /** Servers that the file starts beside the one that is read, and that are another than it. */
  readonly unread?: readonly string[]
  /** What the file says for a field of the request that one of its options sets alone, by pointer; `{}` stands for the value. */
  readonly written?: Readonly<Record<string, string>>
  /** Settings that the file leaves to follow from others. */
  readonly follows?: readonly Following[]
  /** Why what the file starts cannot be costed, where its framework runs it. */
  readonly uncounted?: readonly string[]
  /** Why the file cannot be read. */
  readonly faults: readonly string[]
  /** Values that the framework does not have. */
  readonly misnamed?: readonly Misnamed[]
  /** Values that the release does not have, and that somebody may have added to it. */
  readonly unregistered?: readonly Misnamed[]
}

/** A setting whose default the framework works out of others, so that it changes with each of them; all are named as we write them. */
export interface Following {
  readonly setting: string
  readonly from: readonly string[]
}

export interface CutOffAt extends CutOff {
  /** Line of the file, from 1; null where that has it in other words. */
  readonly at: number | null
}

export interface Misdashed {
  readonly option: string
  readonly meant: string | null
}

/** Dimensions beside the name of a model, and what the framework makes of those that differ from the model's own. */
export interface BesideName {
  readonly dimensions: readonly SaidDimension[]
  /** Whether they are in place of the model's own. */
  readonly taken: boolean
  /** What it does of those that differ, behind their names. */
  readonly says: string
  /** Whether it does not start with any that differ. */
  readonly refuses: boolean
}

export interface SaidDimension {
  readonly option: string
  /** Where the words of a request have it. */
  readonly at: readonly string[]
  readonly value: number | boolean
}

export interface Misnamed {
  readonly option: string
  readonly value: string
  /** The values that it does have. */
  readonly among: readonly string[]
}

/** What reading a launch file uses of the rest of the request. */
export interface ReadingContext {
  readonly chips: number | null
  /** Sequences of the batch, if the request gives a number. */
  readonly sequences?: number
  /** Positions of its prompts, and those of them that are cached, if it says them. */
  readonly promptLength?: number
  readonly cachedPrefixLength?: number
  /** Whether the request says a batch, in whatever unit: what a framework takes where its command says none is not meant then. */
  readonly batchAsked?: boolean
  /** Slices of a torus. */
  readonly slices: number
  /** Of a slice, if the request says which; absent behind switches. */
  readonly topology?: readonly number[]
  /** Chips of a unit of the innermost tier behind switches (a node, an NVLink domain), if the request says it. */
  readonly innermostUnit?: number
  /** GPUs that the command is given where it runs, if its container or a variable says it. */
  readonly podGpus?: number
  /** GPUs that one server can have at most over all hosts, if a manifest says it. */
  readonly serverGpus?: number
  /** Servers that a manifest starts, if it is one. */
  readonly started?: Started
  /** Devices that software sees on each chip; 1 when absent. */
  readonly devices?: number
  /** Mode of the workload, if the request names one. */
  readonly mode: string | null
  /** Whether Transformer Engine has user buffers on the GPUs; true if unknown. */
  readonly userBuffers?: boolean
  /** The chip, if the request names one of the catalogue. */
  readonly chip?: Pick<Chip, 'name' | 'kind' | 'hbmBytes'> & Partial<Pick<Chip, 'peakFlopsPerSecond'>>
  /** What is known of the model; null if nothing is yet. */
  readonly model: KnownModel | null
}
