/**
 * A server as its options say it, in the words of a plan: the inverse of serving.ts. Chips that share out heads are `tensor`; groups of them
 * that have sequences of their own are `tensor2`, or all of `tensor` where a group is one chip. Where such chips have whole experts they are
 * `expert`, whichever way tokens go between them: each has all weights of attention, as the server keeps them. Chips beyond one server
 * are servers more.
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
  /** Chips of one stage of one replica, and groups of these that attend by sequences. */
  readonly tensors: number
  readonly groups: number
  readonly pipeline: number
  /** In one server. */
  readonly replicas: number
  readonly experts: 'sliced' | 'spread' | 'dispatched'
  /** Positions of caches are shared out over the chips. */
  readonly positions: boolean
  /** Null where it is the model's own. */
  readonly contextLength: number | null
  /** Positions that the server keeps for itself in a prompt. */
  readonly kept: number
  /** Of a group; null for as many as there is memory for. */
  readonly sequences: number | null
  /** Of a group in one step at most; null where it is not said. */
  readonly stepTokens: number | null
  /** What is counted otherwise where it does both phases. */
  readonly servingNotes: readonly string[]
  /** Why it does not do both phases. */
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

/** What is read of a server whatever it does. */
interface Laid {
  readonly said: ServerSaid
  readonly context: ReadingContext
  /** Chips of one. */
  readonly server: number
  readonly dispatched: boolean
  /** Of one replica. */
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

/** One process that reads prompts and generates: how many such servers there are is left to the load. */
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

/** `holds` says of how many chips such servers are a part. */
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

/** Components are named by what the model has, so that nothing is said of one that is not known yet. */
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
