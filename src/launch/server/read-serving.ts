/**
 * A server that its options describe, as a plan: the inverse of serving.ts. Chips that divide heads are `tensor`;
 * groups of them with sequences of their own are `tensor2`, or all of `tensor` if each group is one chip; each group has
 * all attention weights (attention-groups.ts). If tokens are sent between such chips to whole experts, they are
 * `expert`. Chips beyond one server make further servers.
 */

import { compact } from '../../compact.ts'
import { present } from '../../fields.ts'
import { peakOf } from '../../hardware/peak.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { heldTo, idlePods, type Started, startedChips } from '../read/started.ts'
import { beyondGiven, beyondHost } from './beyond-host.ts'
import { layoutOf, meshOf } from './read-layout.ts'
import type { Said, ServerSaid } from './server-said.ts'
import { countFault, deviceFault, lengthSaid, ofModelText, unsaidSequences } from './serving-remarks.ts'

type Told = Pick<LaunchReading, 'workload' | 'assumed' | 'mostSequences' | 'plan' | 'notes' | 'faults'>

export function servingReading({ ranks, ...asked }: ServerSaid, context: ReadingContext): LaunchReading {
  const { devices = 1 } = context
  const said = { ...asked, tensors: devices === 1 ? ranks : Math.ceil(ranks / devices) }
  const { named, tensors, groups, pipeline, replicas, framework, version, precision } = said
  const server = tensors * pipeline * replicas
  const mixes = context.model?.experts ?? true
  const dispatched = mixes && said.experts === 'dispatched' && groups > 1 && groups === tensors
  const mesh = { pipeline, ...meshOf(tensors, groups, dispatched) }
  const read = context.mode === 'serve' ? deploymentReading : phaseReading
  const own = read({ said, context, server, dispatched, mesh })
  const { started = unsaid } = context
  const held = heldTo(started, server, context.chips)
  const length = lengthSaid(said, context)
  const beyond = beyondHost(said.onHost ?? null, context) ?? beyondGiven(server, context)
  return {
    framework,
    version,
    model: null,
    ...present({
      named,
      memoryFraction: said.memoryFraction,
      known: said.known,
      undashed: said.undashed,
      shortNames: said.shortNames,
      refuses: said.refuses,
      written: said.written,
      unread: said.unread,
      uncounted: said.uncounted,
    }),
    hardware: context.chips === null ? { chips: startedChips(started, server) ?? server } : {},
    precision: runnable(precision, context),
    assumptions: said.assumptions,
    ...own,
    plan: { ...own.plan, ...present({ cacheShare: said.cacheShare }) },
    notes: compact(
      said.notes,
      own.notes,
      layoutNotes(said, dispatched),
      length.notes,
      beyond,
      idlePods(started, server),
      held.notes,
    ),
    ignored: said.ignored,
    notUnderstood: said.notUnderstood,
    misnamed: said.misnamed ?? [],
    refusals: compact(said.refusals, length.refusals, beyond),
    faults: compact(said.faults, deviceFault(ranks, devices), own.faults, held.faults),
  }
}

const unsaid: Started = { servers: undefined, gpus: undefined }

function layoutNotes({ experts, tensors }: Said, dispatched: boolean): readonly string[] {
  return compact(
    experts === 'dispatched' &&
      !dispatched &&
      tensors > 1 &&
      'tokens are counted as spread over all chips that share out the experts, not as dispatched between groups',
  )
}

/** Without a type of matmuls that the chip does not have: servers unpack such weights (Marlin kernels of vLLM and SGLang). */
function runnable(
  { compute, ...precision }: LaunchReading['precision'],
  { chip }: ReadingContext,
): LaunchReading['precision'] {
  if (compute === undefined) return precision
  const peaks = chip?.peakFlopsPerSecond
  const runs = !peaks || peakOf({ peakFlopsPerSecond: peaks }, compute as ElementType) !== undefined
  return runs ? { ...precision, compute } : precision
}

/** What both ways of reading a server need. */
interface Laid {
  readonly said: Said
  readonly context: ReadingContext
  /** Chips of one server. */
  readonly server: number
  readonly dispatched: boolean
  /** Mesh of one replica. */
  readonly mesh: Readonly<Record<string, number>>
}

function phaseReading({ said, context, server, dispatched, mesh: own }: Laid): Told {
  const { groups, replicas, contextLength, kept } = said
  // Prompts are read as many at once as are said, and otherwise as many as are asked for.
  const usual = context.mode === 'prefill' ? null : said.usualSequences
  const sequences = said.sequences ?? usual?.count ?? null
  // Servers beyond the sequences asked for, and chips that make up no server, stand idle.
  const most = Math.floor((context.sequences ?? Number.POSITIVE_INFINITY) / replicas)
  const servers = Math.max(
    1,
    Math.min(context.started?.servers ?? Math.floor((context.chips ?? server) / server), most),
  )
  const data = replicas * servers
  const mode = context.mode === 'prefill' ? 'prefill' : 'generate'
  const longest = mode === 'prefill' ? longerThanPrompts(said, context) : null
  const chunk = mode === 'prefill' && said.pipeline === 1 ? chunkOf(said, context, groups * data) : null
  const batch = sequences === null ? null : sequences * groups * data
  return {
    workload: {
      mode,
      ...lengths(mode, contextLength, kept),
      ...present({ contextLength: longest, chunkTokens: chunk?.said }),
    },
    ...(batch === null ? {} : { mostSequences: batch }),
    assumed: {
      ...lengths(mode, context.model?.maxSequenceLength ?? null, kept),
      ...present({ chunkTokens: chunk?.usual }),
      ...(mode === 'generate' ? { batchSequences: 'max' } : {}),
    },
    plan: {
      mesh: { data, ...own },
      ...layoutOf(said, context, mode, dispatched),
      ...(readsInParts(said, mode) ? { stepTokens: said.stepTokens * groups * data } : {}),
    },
    notes: compact(
      longest !== null && contextLength === null && ofModelText(longest),
      chunk?.note,
      servers > 1 && `${servers} such servers, one for each ${server === 1 ? 'chip' : `${server} chips`}`,
      said.sequences === null && unsaidSequences(usual),
    ),
    faults: compact(countFault(said, context)),
  }
}

/** Without a pipeline all prompts are costed as read at once. */
function readsInParts(
  said: Said,
  mode: 'prefill' | 'generate',
): said is Said & { readonly stepTokens: number } {
  return mode === 'prefill' && said.pipeline > 1 && said.stepTokens !== null
}

/** Reads a server that does both phases; the number of such servers follows from the load. */
function deploymentReading({ said, context, dispatched, mesh: own }: Laid): Told {
  const { groups, replicas, contextLength, onePhase, usualSequences } = said
  const ofModel = contextLength === null ? lengthUnsaid(said, context) : null
  const ofAll = (name: string, count: number | null) =>
    count === null ? {} : { [name]: count * groups * replicas }
  return {
    workload: { mode: 'serve' },
    plan: {
      disaggregated: false,
      generate: {
        mesh: { data: replicas, ...own },
        ...layoutOf(said, context, 'generate', dispatched),
        ...present({ instances: context.started?.servers }),
      },
      ...ofAll('maxSequences', said.sequences ?? usualSequences?.count ?? null),
      ...ofAll('stepTokens', said.stepTokens),
      ...present({ contextLength: contextLength ?? ofModel }),
    },
    notes: compact(
      said.servingNotes,
      ofModel !== null && ofModelText(ofModel),
      said.sequences === null && unsaidSequences(usualSequences),
    ),
    faults: compact(onePhase, countFault(said, context)),
  }
}

/** What a prompt has in one piece where it is longer, of what a group reads at once; `groups` share out the prompts. */
function chunkOf({ chunk, contextLength, kept }: Said, context: ReadingContext, groups: number) {
  const { sequences = 1, cachedPrefixLength = 0, model } = context
  const longest = contextLength ?? model?.maxSequenceLength
  const promptLength = context.promptLength ?? (longest == null ? Number.POSITIVE_INFINITY : longest - kept)
  if (!chunk) return null
  const each = Math.max(1, Math.floor(chunk.tokens / Math.ceil(sequences / groups)))
  if (each >= promptLength - cachedPrefixLength) return null
  const { unsaid } = chunk
  return unsaid === null ? { said: each } : { usual: each, note: unsaid }
}

/** Positions of the model for a server that is told none, if the file surely loads a release that has just so many. */
function lengthUnsaid({ fitsLength, longer }: Said, { model }: ReadingContext): number | null {
  return !fitsLength && !longer?.changed && model?.surePositions === true ? model.maxSequenceLength : null
}

/** Positions of the longest request, where prompts that are asked about are shorter and the server has to have room for one. */
function longerThanPrompts(said: Said, context: ReadingContext): number | null {
  const longest = said.contextLength ?? lengthUnsaid(said, context)
  const { promptLength } = context
  if (!said.holdsLongest || longest === null || promptLength === undefined) return null
  const positions = longest - said.kept + 1
  return promptLength + 1 < positions ? positions : null
}

function lengths(mode: string, length: number | null, kept: number): Readonly<Record<string, number>> {
  if (length === null) return {}
  return mode === 'prefill' ? { promptLength: Math.max(1, length - kept) } : { contextLength: length }
}
