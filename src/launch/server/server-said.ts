/** What the options of a server say, in whatever words its framework has for it. */
import type { CacheShare } from '../../plan-sketch.ts'
import type { LaunchReading } from '../read/reading.ts'
import type { BesideGroups, GroupWay } from './attention-groups.ts'
import type { OnHost } from './beyond-host.ts'
import type { Longer } from './longer.ts'

export interface ServerSaid
  extends Pick<
    LaunchReading,
    | 'framework'
    | 'version'
    | 'precision'
    | 'assumptions'
    | 'notes'
    | 'ignored'
    | 'notUnderstood'
    | 'known'
    | 'undashed'
    | 'shortNames'
    | 'refuses'
    | 'faults'
    | 'refusals'
    | 'memoryFraction'
    | 'misnamed'
    | 'unread'
    | 'uncounted'
    | 'written'
  > {
  readonly named: string | null
  /** What the command gives its caches, if it says that. */
  readonly cacheShare?: CacheShare | null
  /** Ranks of one stage of one replica, and groups among them that attend to their own sequences. */
  readonly ranks: number
  readonly groups: number
  readonly pipeline: number
  /** Replicas inside one server. */
  readonly replicas: number
  readonly experts: 'sliced' | 'spread' | 'dispatched'
  /** Whether the chips divide the positions of caches. */
  readonly positions: boolean
  /** How what is not attention lies beside groups. */
  readonly besideGroups: Readonly<Record<keyof BesideGroups, GroupWay>>
  /** Longest sequence; null for the model's own limit. */
  readonly contextLength: number | null
  /** Whether the server takes the longest that its memory has room for, where it is told no length. */
  readonly fitsLength?: boolean
  /** Whether the server does not start without room for one request of its longest. */
  readonly holdsLongest?: boolean
  /** If the framework refuses a length beyond the model's. */
  readonly longer?: Longer
  /** Ranks on a host; null where something else starts them, or the text is no whole command. */
  readonly onHost?: OnHost | null
  /** Positions of the context that a prompt may not use. */
  readonly kept: number
  /** Most sequences of a group; null if not given. */
  readonly sequences: number | null
  /** Most sequences that the framework takes by default; null for as many as memory holds. */
  readonly usualSequences: Usual | null
  /** Most tokens of a group in one step; null if not given. */
  readonly stepTokens: number | null
  /** Most new tokens of prompts that a group reads at once; null where they are read whole, or it is not known. */
  readonly chunk: Chunk | null
  /** What is counted differently if the server does both phases. */
  readonly servingNotes: readonly string[]
  /** Why the server cannot do both phases; null if it can. */
  readonly onePhase: string | null
}

export interface Chunk {
  readonly tokens: number
  /** What is told of it where the command does not say it; null where it does. */
  readonly unsaid: string | null
}

/** The default of an option. */
export interface Usual {
  readonly option: string
  readonly count: number
}

/** The same in chips, of which each may be several ranks. */
export type Said = Omit<ServerSaid, 'ranks'> & { readonly tensors: number }
