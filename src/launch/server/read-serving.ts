/**
 * A server that its options describe, as a plan: the inverse of serving.ts. Chips that divide heads are `tensor`;
 * groups of them with sequences of their own are `tensor2`, or all of `tensor` if each group is one chip. If such chips
 * hold whole experts, they are `expert`, however tokens move between them, because each then has all attention weights,
 * as the server keeps them. Chips beyond one server make further servers.
 */
import type { CacheLayout } from '../../sharding/tables/inference-sharding.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'

export interface ServerSaid
  extends Pick<
    LaunchReading,
    | 'framework'
    | 'version'
    | 'precision'
    | 'notes'
    | 'ignored'
    | 'notUnderstood'
    | 'known'
    | 'faults'
    | 'memoryFraction'
    | 'misnamed'
  > {
  readonly named: string | null
  /** Chips of one stage of one replica, and groups among them that attend to their own sequences. */
  readonly tensors: number
  readonly groups: number
  readonly pipeline: number
  /** Replicas inside one server. */
  readonly replicas: number
  readonly experts: 'sliced' | 'spread' | 'dispatched'
  /** Whether the chips divide the positions of caches. */
  readonly positions: boolean
  /** Longest sequence; null for the model's own limit. */
  readonly contextLength: number | null
  /** Positions of the context that a prompt may not use. */
  readonly kept: number
  /** Most sequences of a group; null for as many as memory holds. */
  readonly sequences: number | null
  /** Most tokens of a group in one step; null if not given. */
  readonly stepTokens: number | null
  /** What is counted differently if the server does both phases. */
  readonly servingNotes: readonly string[]
  /** Why the server cannot do both phases; null if it can. */
  readonly onePhase: string | null
}

type Told = Pick<LaunchReading, 'workload' | 'assumed' | 'plan' | 'notes' | 'faults'>

export function servingReading(said: ServerSaid, context: ReadingContext): LaunchReading {
  const { named, tensors, groups, pipeline, replicas, framework, version, precision } = said
  const server = tensors * pipeline * replicas
  const mixes = context.model?.experts ?? true
  const dispatched = mixes && said.experts !== 'sliced' && groups > 1 && groups === tensors
  const mesh = { pipeline, ...meshOf(tensors, groups, dispatched) }
  const read = context.mode === 'serve' ? deploymentReading : phaseReading
  const own = read({ said, context, server, dispatched, mesh })
  return {
    framework,
    version,
    model: null,
    ...(named === null ? {} : { named }),
    hardware: context.chips === null ? { chips: server } : {},
    precision,
    assumptions: {},
    ...(said.memoryFraction === undefined ? {} : { memoryFraction: said.memoryFraction }),
    ...own,
    notes: [
      ...said.notes,
      ...own.notes,
      ...(said.sequences === null ? ['no limit of sequences is said: as many as there is memory for'] : []),
      ...layoutNotes(said, dispatched),
    ],
    ignored: said.ignored,
    notUnderstood: said.notUnderstood,
    ...(said.known ? { known: said.known } : {}),
    misnamed: said.misnamed ?? [],
    faults: [...said.faults, ...own.faults],
  }
}

/** What both ways of reading a server need. */
interface Laid {
  readonly said: ServerSaid
  readonly context: ReadingContext
  /** Chips of one server. */
  readonly server: number
  readonly dispatched: boolean
  /** Mesh of one replica. */
  readonly mesh: Readonly<Record<string, number>>
}

function phaseReading({ said, context, server, dispatched, mesh: own }: Laid): Told {
  const { groups, replicas, contextLength, kept } = said
  const servers = (context.chips ?? server) / server
  const uneven = countFaults(said, context, (chips) => Number.isInteger(chips / server))
  const data = replicas * (uneven.length > 0 ? 1 : servers)
  const mode = context.mode === 'prefill' ? 'prefill' : 'generate'
  const batch = said.sequences === null ? null : said.sequences * groups * data
  return {
    workload: { mode, ...lengths(mode, contextLength, kept), ...batches(batch) },
    assumed: {
      ...lengths(mode, context.model?.maxSequenceLength ?? null, kept),
      ...(mode === 'generate' ? { batchSequences: 'max' } : {}),
    },
    plan: { mesh: { data, ...own }, ...layoutOf(said, context, mode, dispatched) },
    notes:
      servers > 1 && uneven.length === 0 ? [`${servers} such servers, one for each ${server} chips`] : [],
    faults: uneven,
  }
}

/** Reads a server that does both phases; the number of such servers follows from the load. */
function deploymentReading({ said, context, server, dispatched, mesh: own }: Laid): Told {
  const { groups, replicas, contextLength, onePhase } = said
  const ofAll = (name: string, count: number | null) =>
    count === null ? {} : { [name]: count * groups * replicas }
  return {
    workload: { mode: 'serve' },
    plan: {
      disaggregated: false,
      generate: { mesh: { data: replicas, ...own }, ...layoutOf(said, context, 'generate', dispatched) },
      ...ofAll('maxSequences', said.sequences),
      ...ofAll('stepTokens', said.stepTokens),
      ...(contextLength === null ? {} : { contextLength }),
    },
    notes: said.servingNotes,
    faults: [
      ...(onePhase === null ? [] : [onePhase]),
      ...countFaults(said, context, (chips) => chips >= server),
    ],
  }
}

/** Faults of a server that does not fit the number of chips; `holds` says which numbers of chips it does fit. */
function countFaults(
  { tensors, groups, pipeline, replicas }: ServerSaid,
  { chips }: ReadingContext,
  holds: (chips: number) => boolean,
): readonly string[] {
  if (!Number.isInteger(tensors / groups))
    return [`${groups} groups do not share out ${tensors} chips evenly`]
  const server = tensors * pipeline * replicas
  if (chips === null || holds(chips)) return []
  const more = server * Math.ceil(chips / server)
  return [
    `a server takes ${server} chips, and there are ${chips}: the nearest are servers of ${lesser(server, chips)} and ${more} chips of /hardware`,
  ]
}

const mostTried = 4096

function lesser(server: number, chips: number): number {
  for (let size = Math.min(server - 1, mostTried); size > 1; size--) if (chips % size === 0) return size
  return 1
}

function layoutNotes({ experts, tensors, groups }: ServerSaid, dispatched: boolean): readonly string[] {
  return [
    ...(experts === 'dispatched' && !dispatched && tensors > 1
      ? [
          'tokens are counted as spread over all chips that share out the experts, not as dispatched between groups',
        ]
      : []),
    ...(experts === 'spread' && dispatched
      ? [
          'tokens are counted as sent to the chips of their experts; this server gathers all of them everywhere and scatters the sums, which moves more',
        ]
      : []),
    ...(groups > 1 && !dispatched
      ? [
          `attention weights are counted once over all ${tensors} chips; the server has them once for each of ${groups} groups, which is more memory and more to read`,
        ]
      : []),
  ]
}

function meshOf(tensors: number, groups: number, dispatched: boolean) {
  if (dispatched) return { expert: groups }
  return groups === 1 || groups === tensors
    ? { tensor: tensors }
    : { tensor: tensors / groups, tensor2: groups }
}

function lengths(mode: string, length: number | null, kept: number): Readonly<Record<string, number>> {
  if (length === null) return {}
  return mode === 'prefill' ? { promptLength: Math.max(1, length - kept) } : { contextLength: length }
}

function batches(batch: number | null): Readonly<Record<string, unknown>> {
  return batch === null ? {} : { batchSequences: batch }
}

/** A component's name depends on the model, so the layout is left out while the model is unknown. */
function layoutOf(
  { tensors, groups, experts, positions }: ServerSaid,
  { model }: ReadingContext,
  mode: string,
  dispatched: boolean,
): Readonly<Record<string, unknown>> {
  if (!model || tensors === 1) return {}
  const cache = cacheOf(tensors, dispatched ? 1 : groups, positions)
  const form = mode === 'prefill' ? 'projected' : 'absorbed'
  const places = dispatched ? 'dispatched' : experts === 'dispatched' ? 'spread' : experts
  return {
    layout: {
      [model.parallelBlocks ? 'block' : 'attention']: model.latent ? `1d/${cache}/${form}` : `1d/${cache}`,
      ...(model.experts ? { experts: `1d/${places}` } : {}),
    },
  }
}

function cacheOf(tensors: number, groups: number, positions: boolean): CacheLayout {
  if (positions) return 'sequence'
  if (groups === 1) return 'heads'
  return groups === tensors ? 'batch' : 'heads-batch'
}
