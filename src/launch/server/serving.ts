/** What a serving framework has to be told of a plan of prefill or generation, in whole numbers. */
import type { CompiledLayout } from '../../inference/layout/compiled-layout.ts'
import type { Pass } from '../../inference/pass/pass.ts'
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

/** A phase, or both in one server. */
export type ServedMode = Phase['mode'] | 'serve'

export interface Serving {
  readonly setting: Setting
  readonly model: Transformer
  readonly gpu: boolean
  readonly mode: ServedMode
  readonly mesh: Mesh
  /** By component. */
  readonly layouts: readonly (readonly [component: string, layout: LayoutFields])[]
  /** What of its caches a chip has of all tensor chips': heads, or positions; sequences where neither. */
  readonly sharesHeads: boolean
  readonly sharesPositions: boolean
  /** Copies of experts beyond one of each. */
  readonly redundantExperts: number
  /** Two halves of a batch overlap. */
  readonly halved: boolean
  /** Where the experts are; null for a dense model. */
  readonly experts: ExpertPlacesRow | null
  /** tensor x tensor2, as 1D layouts do not tell them apart, x expert: frameworks share experts out over such chips. */
  readonly tensors: number
  /** Groups of these chips that keep the caches of different sequences; 1 where all of them share each. */
  readonly attentionGroups: number
  /** Such groups that the plan has one set of attention weights for. */
  readonly sharingGroups: number
  readonly stageLayers: number
  /** Resident at once on such a group of a replica, and together in one stage. */
  readonly sequences: number
  readonly unitSequences: number
  /** New positions of these that a stage takes at once. */
  readonly unitTokens: number
  /** Prompts go through in parts. */
  readonly chunked: boolean
  /** Positions that a sequence has room for. */
  readonly contextLength: number
  /** Sequences hold fewer on average, and the plan has as many as there is room for then. */
  readonly partlyFilled: boolean
  readonly memory: MemoryAccount
  /** Its caches go to servers of the other phase, or come from them. */
  readonly transfers: boolean
  /** Of a server that does both: how it reads prompts, all else being how it generates. */
  readonly prompts: Serving | null
  /** It would lie one way for prompts and another to generate. */
  readonly unlike: boolean
}

/** What of a plan its candidate does not hold. */
export interface Counted {
  readonly contextLength: number
  readonly memory: MemoryAccount
  readonly transfers?: boolean
  /** Of a server that does both, and the tokens of its steps at most. */
  readonly prompts?: Serving
  readonly unlike?: boolean
  readonly stepTokens?: number
  /** That a server may run at once, where it is not as many as the plan's pass has. */
  readonly maxSequences?: number
}

/** What of a candidate a framework is told. */
export interface Told extends Pick<InferenceCandidate, 'mesh'> {
  readonly layouts: readonly (LayoutFields & Pick<CompiledLayout, 'component'>)[]
  readonly pass: Pick<Pass, 'shape' | 'resident' | 'units' | 'groups' | 'halves' | 'stageLayers'>
}

export function serving(
  setting: Setting,
  { mesh, layouts, pass }: Told,
  mode: ServedMode,
  { contextLength, memory, transfers = false, prompts, unlike = false, stepTokens, maxSequences }: Counted,
): Serving {
  const { shape, resident, units, groups } = pass
  const only = <Field>(field: (layout: LayoutFields) => Field | null): Field | null =>
    layouts.reduce<Field | null>((found, layout) => found ?? field(layout), null)
  const cache = only((layout) => layout.cache) ?? 'heads'
  const places = only((layout) => layout.places)
  const sharingGroups = sequenceGroups(cache, mesh)
  const attentionGroups = sharingGroups * mesh.expert
  const share = (sequences: number) => Math.ceil(Math.ceil(sequences / mesh.data) / attentionGroups)
  const halved = pass.halves === 2
  const unitSequences = share(halved ? resident.sequences : shape.sequences)
  return {
    setting,
    model: setting.model,
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
    attentionGroups,
    sharingGroups,
    stageLayers: pass.stageLayers,
    sequences: share(maxSequences ?? resident.sequences),
    unitSequences,
    unitTokens:
      stepTokens === undefined
        ? unitSequences * Math.ceil(shape.positions)
        : Math.max(share(stepTokens), share(maxSequences ?? resident.sequences)),
    chunked: mode === 'prefill' && units > groups,
    contextLength,
    partlyFilled: mode !== 'prefill' && shape.context < contextLength,
    memory,
    transfers,
    prompts: prompts ?? null,
    unlike,
  }
}

/** Chips that share out the positions of a cache; null where they share out none. */
export function sharersOf({ sharesPositions, tensors }: Serving): number | null {
  return sharesPositions ? tensors : null
}
