/**
 * A model as a request or a catalogue file spells it, in the words of the HTTP contract: its dimensions, and its experts and
 * kind of attention where it has any.
 */
import { type Architecture, transformer } from './architecture.ts'
import { headDims } from './head-dims.ts'
import {
  type CompressedAttention,
  fullAttention,
  type LatentAttention,
  type MixtureOfExperts,
  type PositionIndex,
  type Transformer,
} from './transformer.ts'

type WithDefaults = 'sharedExperts' | 'denseLayers' | 'every'

export type MoeSpelling = Omit<MixtureOfExperts, WithDefaults> & Partial<Pick<MixtureOfExperts, WithDefaults>>

export type IndexSpelling = Omit<PositionIndex, 'firstLayers' | 'every'> &
  Partial<Pick<PositionIndex, 'firstLayers' | 'every'>>

export const attentionKinds = ['mha', 'gqa', 'mqa', 'mla'] as const

export type AttentionKind = (typeof attentionKinds)[number]

export interface AttentionSpelling {
  readonly kind?: AttentionKind
  readonly window?: number
  /** Allowed only with a window; when absent, no layer is global. */
  readonly globalEvery?: number
  readonly kvShareGroup?: number
  readonly mla?: LatentAttention
  /** Allowed only with mla or compressed: the positions that a query meets are chosen. */
  readonly index?: IndexSpelling
  /** With an index and one head of keys: positions are pooled. */
  readonly compressed?: CompressedAttention
  /** Each head's result is weighed by a gate. */
  readonly outputGate?: boolean
}

export interface Spelling extends Omit<Architecture, 'attention' | 'experts'> {
  readonly moe?: MoeSpelling
  readonly attention?: AttentionSpelling
}

/** The full model; latent attention has keys and values for every head, of widths of their own. */
export function spelledOut(name: string, { moe, attention = {}, ...dimensions }: Spelling): Transformer {
  const { kind, window, globalEvery = 0, kvShareGroup = 1, mla, index, outputGate, compressed } = attention
  const pattern = window === undefined ? fullAttention : { ...fullAttention, window, globalEvery }
  const model = transformer(name, {
    ...dimensions,
    ...(kind === 'mqa' ? { kvHeads: 1 } : {}),
    attention: {
      ...pattern,
      kvShareGroup,
      latent: mla ?? null,
      index: index ? { firstLayers: 0, every: 1, ...index } : null,
      ...(compressed ? { compressed } : {}),
      ...(outputGate ? { outputGate } : {}),
    },
    experts: moe ? { sharedExperts: 0, denseLayers: 0, every: 1, ...moe } : null,
  })
  return mla ? { ...model, headDim: headDims(model).key } : model
}
