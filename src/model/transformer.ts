/**
 * What a Transformer is, as far as its cost is concerned: the letters of the book.
 *
 *   L layers, D dModel, F dFf, N heads, K kvHeads, H headDim, V vocab
 */
import type { Details } from './details.ts'

/** Layers whose MLP is many small ones, of which a router picks a few for each token. */
export interface MixtureOfExperts {
  readonly experts: number
  /** Routed experts that a token visits: the book's k. */
  readonly activeExperts: number
  /** Experts that every token visits, each of width dFfExpert. */
  readonly sharedExperts: number
  /** F of one expert. */
  readonly dFfExpert: number
  /** The first layers that have a dense MLP of width dFf instead. */
  readonly denseLayers: number
  /** Of the layers after those every n-th has experts, the others a dense MLP; 1 for all. */
  readonly every: number
  /** The router keeps the experts of a token on at most so many nodes. */
  readonly nodeLimit?: number
}

/** Keys and values of all heads are projected up from one latent vector per token (DeepSeek-V2). */
export interface LatentAttention {
  /** Null where queries are projected at once. */
  readonly queryRank: number | null
  readonly keyValueRank: number
  readonly nopeHeadDim: number
  /** One rotary key, shared by the heads, is cached beside the latent vector. */
  readonly ropeHeadDim: number
  readonly valueHeadDim: number
}

/** Which keys a layer's queries meet, and whose cache they read. */
export interface AttentionPattern {
  /** Local layers attend to the last `window` positions; null where none does. */
  readonly window: number | null
  /** Every n-th layer attends to all positions, the others to the window; 0 where all have the window. */
  readonly globalEvery: number
  /** So many neighbouring layers read one cache; 1 for none. */
  readonly kvShareGroup: number
  readonly latent: LatentAttention | null
}

export interface Transformer {
  readonly name: string
  readonly layers: number
  readonly dModel: number
  readonly dFf: number
  readonly heads: number
  /** N for MHA, 1 for MQA, between for GQA. */
  readonly kvHeads: number
  readonly headDim: number
  readonly vocab: number
  /** Three MLP matrices (gate, up, down) instead of two. */
  readonly gatedMlp: boolean
  /** The unembedding is the embedding transposed: its D·V parameters count once. */
  readonly tiedEmbeddings: boolean
  /** Linear layers have biases: under 0.1 % of the parameters and left out of costs, but frameworks want to be told. */
  readonly biases?: boolean
  /** Learned position embeddings: rows of width D (0 for rotary, ALiBi). */
  readonly learnedPositions: number
  /** Attention and MLP read the same normed input and add to one output (PaLM, Falcon, GPT-J). */
  readonly parallelBlocks: boolean
  readonly maxSequenceLength?: number
  readonly attention: AttentionPattern
  /** Null for a dense model. */
  readonly experts: MixtureOfExperts | null
  /** Further layers that predict tokens after the next, used in training (DeepSeek-V3's MTP). */
  readonly multiTokenLayers: number
  /** What costs nothing and a launch has to say, where it is known. */
  readonly details?: Details
}

/** All positions, a cache of its own for each layer, keys and values per head. */
export const fullAttention: AttentionPattern = { window: null, globalEvery: 1, kvShareGroup: 1, latent: null }
