/** What a serving framework is told of a plan of prefill or generation, in whole numbers. */
import { devicesOn } from '../../hardware/chip.ts'
import type { CompiledLayout } from '../../inference/layout/compiled-layout.ts'
import type { ServableLayouts } from '../../inference/layout/served.ts'
import type { InferenceCandidate, Phase } from '../../inference/phase.ts'
import type { Transformer } from '../../model/transformer.ts'
import { redundantExperts } from '../../plan/inference/redundant-experts.ts'
import type { MemoryAccount } from '../../plan/plan.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import {
  type ExpertPlacesRow,
  expertPlacesRow,
  type LayoutFields,
  sequenceGroups,
  sharesOutHeads,
  sharesOutPositions,
} from '../../sharding/tables/inference-layout-fields.ts'
import type { Drafts } from './drafts.ts'
import { readsMisses } from './missed-prefix.ts'
import { sentTokens } from './sent-tokens.ts'

/** A single phase, or both in one server. */
export type ServedMode = Phase['mode'] | 'serve'

export interface Serving {
  readonly setting: Setting
  readonly model: Transformer
  readonly gpu: boolean
  readonly mode: ServedMode
  readonly mesh: Mesh
  /** Layout of each component. */
  readonly layouts: readonly (readonly [component: string, layout: LayoutFields])[]
  /** How tensor chips divide caches: by heads or by positions; by sequences if neither. */
  readonly sharesHeads: boolean
  readonly sharesPositions: boolean
  /** Copies of experts, beyond one of each. */
  readonly redundantExperts: number
  /** Whether two halves of the batch overlap. */
  readonly halved: boolean
  /** Where the experts are; null for a dense model. */
  readonly experts: ExpertPlacesRow | null
  /** tensor x tensor2 x expert: 1D layouts do not distinguish the two tensor axes, and frameworks distribute experts over all these chips. */
  readonly tensors: number
  /** Devices that software sees on a chip: ranks of a server are `tensors` times as many. */
  readonly devices: number
  /** Groups of these chips that cache different sequences; 1 if all divide every sequence. */
  readonly attentionGroups: number
  /** Groups that share one set of attention weights in the plan. */
  readonly sharingGroups: number
  readonly stageLayers: number
  /** Sequences per group and replica: resident at once (`sequences`), and together in one stage (`unitSequences`). */
  readonly sequences: number
  readonly unitSequences: number
  /** New positions of the latter that a stage processes at once. */
  readonly unitTokens: number
  /** The most of them that a server is told: more than these where prompts may find no prefix (missed-prefix.ts). */
  readonly readTokens: number
  /** The most tokens that a chip sends to experts at once by kernels for few tokens (sent-tokens.ts); 0 where there is no such limit. */
  readonly sentTokens: number
  /** Whether prompts pass in chunks. */
  readonly chunked: boolean
  /** Positions that a sequence has room for. */
  readonly contextLength: number
  /** Most of these for which caches have room in one sequence; 0 if not even one has. */
  readonly longestPositions: number
  /** Whether prompts find a prefix cached. */
  readonly keepsPrefixes: boolean
  /** Whether sequences are shorter on average, and the plan has as many of them as then fit. */
  readonly partlyFilled: boolean
  readonly memory: MemoryAccount
  /** Whether caches are sent to or received from servers of the other phase. */
  readonly transfers: boolean
  /** For a server that does both phases, how it prefills (everything else says how it generates); otherwise null. */
  readonly prompts: Serving | null
  /** Whether the two phases would need different layouts. */
  readonly unlike: boolean
  /** What the server drafts; null where it drafts nothing. */
  readonly drafts: Drafts | null
  /** New positions of a sequence that generates in a step: one, and what is drafted. */
  readonly stepPositions: number
}

/** What a plan has beyond its candidate. */
export interface Counted {
  readonly contextLength: number
  /** Most positions of one sequence that have room; those of `contextLength` if it is not said. */
  readonly longestPositions?: number
  readonly memory: MemoryAccount
  readonly transfers?: boolean
  /** For a server that does both phases: how it prefills, and the most tokens of a step. */
  readonly prompts?: Serving
  readonly unlike?: boolean
  readonly stepTokens?: number
  readonly drafts?: Drafts | null
  /** The most sequences of a server, if different from those of the plan's pass. */
  readonly maxSequences?: number
}

/** The part of a candidate that a framework is told. */
export interface Told extends Pick<InferenceCandidate, 'mesh'> {
  readonly layouts: readonly (LayoutFields & Pick<CompiledLayout, 'component'>)[]
  readonly pass: ServableLayouts['pass']
}

export function serving(
  setting: Setting,
  { mesh, layouts, pass }: Told,
  mode: ServedMode,
  counted: Counted,
): Serving {
  const { contextLength, longestPositions = contextLength, memory, transfers = false } = counted
  const { prompts, unlike = false, stepTokens, maxSequences, drafts = null } = counted
  const stepPositions = mode === 'prefill' ? 1 : 1 + (drafts?.tokens ?? 0)
  const { shape, resident, units, groups, unitPositions, newPositions } = pass
  const only = <Field>(field: (layout: LayoutFields) => Field | null): Field | null =>
    layouts.reduce<Field | null>((found, layout) => found ?? field(layout), null)
  const cache = only((layout) => layout.cache) ?? 'heads'
  const places = only((layout) => layout.places)
  const sharingGroups = sequenceGroups(cache, mesh)
  const attentionGroups = sharingGroups * mesh.expert
  const share = (sequences: number) => Math.ceil(Math.ceil(sequences / mesh.data) / attentionGroups)
  const halved = pass.halves === 2
  const unitSequences = share(halved ? resident.sequences : shape.sequences)
  const keepsPrefixes = prompts?.keepsPrefixes ?? (mode === 'prefill' && newPositions < resident.context)
  const unitTokens =
    stepTokens === undefined
      ? unitSequences * unitPositions
      : Math.max(share(stepTokens), share(maxSequences ?? resident.sequences))
  const { model } = setting
  return {
    setting,
    model,
    gpu: setting.cluster.chip.kind === 'gpu',
    mode,
    mesh,
    layouts: layouts.map((layout) => [layout.component.name, layout] as const),
    sharesHeads: sharesOutHeads(cache),
    sharesPositions: sharesOutPositions(cache),
    redundantExperts: redundantExperts(setting, mesh, places),
    halved,
    experts: places && expertPlacesRow(places),
    tensors: mesh.tensor * mesh.tensor2 * mesh.expert,
    devices: devicesOn(setting.cluster.chip),
    attentionGroups,
    sharingGroups,
    stageLayers: pass.stageLayers,
    sequences: share(maxSequences ?? resident.sequences),
    unitSequences,
    unitTokens,
    ...readsMisses({ model, mode, mesh, keepsPrefixes, unitTokens, contextLength, memory }),
    sentTokens: sentTokens(setting, mode, mesh, pass, stepPositions),
    chunked: mode === 'prefill' && units > groups,
    contextLength,
    longestPositions,
    keepsPrefixes,
    partlyFilled: mode !== 'prefill' && shape.context < contextLength,
    transfers,
    prompts: prompts ?? null,
    unlike,
    drafts,
    stepPositions,
  }
}

/** Ranks of one stage of one replica: chips, or devices where a chip has several. */
export function ranksOf({ tensors, devices }: Serving): number {
  return tensors * devices
}

/** What ranks are, for messages. */
export function rankWord({ devices }: Serving): string {
  return devices === 1 ? 'chips' : 'devices'
}

/** Ranks that divide the positions of a cache; null if positions are not divided. */
export function sharersOf(serving: Serving): number | null {
  return serving.sharesPositions ? ranksOf(serving) : null
}
