/**
 * What a Transformer is, as far as its cost is concerned, in the letters of the book.
 *
 *   L layers, D dModel, F dFf, N heads, K kvHeads, H headDim, V vocab
 */
import type { ElementType } from '../recipe/element-types.ts'
import type { Details } from './details.ts'
import type { MixerDims, RecurrentMixer } from './recurrent-mixers.ts'

/** Layers whose MLP is made of many small ones, of which a router picks a few for each token. */
export interface MixtureOfExperts {
  readonly experts: number
  /** Routed experts that a token visits: the book's k. */
  readonly activeExperts: number
  /** Experts that every token visits, each of width dFfExpert. */
  readonly sharedExperts: number
  /** Width F of one expert. */
  readonly dFfExpert: number
  /** Width of what routed experts take in and give out, where tokens are projected down to it, and their sums back (LatentMoE); D where absent. */
  readonly latentWidth?: number
  /** Number of first layers that have a dense MLP of width dFf instead. */
  readonly denseLayers: number
  /** Of the layers after those, every n-th has experts and the others a dense MLP; 1 when all have experts. */
  readonly every: number
  /** Number of nodes on which the router keeps the experts of a token, at most. */
  readonly nodeLimit?: number
}

/** Keys and values of all heads are projected up from one latent vector per token (DeepSeek-V2). */
export interface LatentAttention {
  /** Rank of the queries' latent vector; null when queries are projected directly. */
  readonly queryRank: number | null
  readonly keyValueRank: number
  readonly nopeHeadDim: number
  /** Width of the one rotary key, shared by the heads, that is cached beside the latent vector. */
  readonly ropeHeadDim: number
  readonly valueHeadDim: number
}

/** A small attention that scores all positions; a layer's queries then meet the best of them alone (DeepSeek Sparse Attention). */
export interface PositionIndex {
  /** Most positions that a query meets. */
  readonly positions: number
  /** Heads that score, and the width of their queries and of the one key that they share. */
  readonly heads: number
  readonly headDim: number
  /** Number of first layers that each have an index of their own. */
  readonly firstLayers: number
  /** Of the layers after those, the last of every n has one, and the others meet what it last chose; 1 when all have one. */
  readonly every: number
}

/** Layers whose queries meet vectors that so many positions each are pooled to. */
export interface Pool {
  readonly positions: number
  readonly layers: number
}

/** One head of keys, which are values too: of the last positions, and of pooled ones (compressed-attention.ts). */
export interface CompressedAttention {
  /** Elements of the head that rotate, which a narrow cache keeps in 16 bits; absent where none are told apart. */
  readonly ropeHeadDim?: number
  /** The type that servers keep its caches in where nobody says another; 16 bits when absent. */
  readonly cacheType?: ElementType
  readonly queryRank: number
  /** Groups of heads, whose results each have a low rank of their own. */
  readonly outputGroups: number
  readonly outputRank: number
  /** Number of last positions that all layers meet as they are. */
  readonly window: number
  /** Pooled positions of which an index chooses the best. */
  readonly sparse: Pool
  /** Pooled positions that are all met. */
  readonly heavy: Pool
}

/** Which keys the queries of a layer meet, and whose cache they read. */
export interface AttentionPattern {
  /** Number of last positions that local layers attend to; null when no layer is local. */
  readonly window: number | null
  /** Every n-th layer attends to all positions, the others to the window; 0 when all layers have the window. */
  readonly globalEvery: number
  /** Number of neighbouring layers that share one KV cache; 1 when each layer has its own. */
  readonly kvShareGroup: number
  readonly latent: LatentAttention | null
  /** Null where queries meet all positions that they look back on. */
  readonly index: PositionIndex | null
  /** Absent where queries meet positions alone. */
  readonly compressed?: CompressedAttention
  /** The result of each head is weighed by a gate, made of the layer's input, before the output projection (Qwen3-Next). */
  readonly outputGate?: boolean
}

/** Layers that carry a state of fixed size through the sequence, in place of attention (recurrence.ts). */
export interface Recurrence extends MixerDims {
  readonly mixer: RecurrentMixer
  /** Every n-th layer attends and the others have the recurrence; at least 2. Absent where a pattern of layers says which do. */
  readonly attentionEvery?: number
  /** Whether the last layer attends also where n does not divide the layers (Kimi Linear). */
  readonly lastAttends?: boolean
}

export interface Transformer {
  readonly name: string
  readonly layers: number
  readonly dModel: number
  readonly dFf: number
  readonly heads: number
  /** N for MHA, 1 for MQA, in between for GQA. */
  readonly kvHeads: number
  readonly headDim: number
  readonly vocab: number
  /** Three MLP matrices (gate, up, down) instead of two. */
  readonly gatedMlp: boolean
  /** The unembedding is the embedding transposed: its D·V parameters count once. */
  readonly tiedEmbeddings: boolean
  /** Linear layers have biases: under 0.1 % of the parameters, so costs leave them out, but frameworks want to be told. */
  readonly biases?: boolean
  /** Learned position embeddings: rows of width D (0 for rotary, ALiBi). */
  readonly learnedPositions: number
  /** Attention and MLP read the same normed input and add to one output (PaLM, Falcon, GPT-J). */
  readonly parallelBlocks: boolean
  /** Residual streams beside each other (residual-streams.ts); one where absent. */
  readonly residualStreams?: number
  /** A letter for each layer, where each has a mixer alone or an MLP alone (layer-pattern.ts). */
  readonly layerPattern?: string
  readonly maxSequenceLength?: number
  readonly attention: AttentionPattern
  /** Absent where all layers attend. */
  readonly recurrence?: Recurrence
  /** Null for a dense model. */
  readonly experts: MixtureOfExperts | null
  /** Further layers that predict tokens after the next, used in training (DeepSeek-V3's MTP). */
  readonly multiTokenLayers: number
  /** What costs nothing but has to be said at a launch, where it is known. */
  readonly details?: Details
}

/** Each layer attends to all positions and has a cache of its own, with keys and values per head. */
export const fullAttention: AttentionPattern = {
  window: null,
  globalEvery: 1,
  kvShareGroup: 1,
  latent: null,
  index: null,
}
