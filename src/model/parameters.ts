/**
 * How many parameters a Transformer has, and where they are.
 *
 *   per layer    MLP 3·D·F (2·D·F without a gate), attention 2·D·H·(N + K), norms 2·D (D for parallel blocks)
 *   with experts router D·E and E + shared experts of 3·D·F_e in place of the MLP
 *   latent       attention D·r_q + r_q·N·H_k (D·N·H_k without a query rank) + D·(r_kv + H_r) + r_kv·N·(H_n + H_v)
 *                + N·H_v·D, norms of width r_q and r_kv
 *   compressed   what compressed-attention.ts has, norms of width r_q and H
 *   streams      rows of width D for residual streams beside each other, with the norms (residual-streams.ts)
 *   gate         D·H·N more, where attention has an output gate
 *   recurrence   in place of attention, what recurrence.ts has; its convolution and decays count beside the norms
 *   pattern      a layer with a mixer alone or an MLP alone has one norm, D (layer-pattern.ts)
 *   once         final norm D, embedding D·V, learned positions R·D, unembedding D·V unless tied
 *   MTP          each further layer: a layer of the last kind, a projection 2·D·D of the token's embedding beside
 *                the stream, three norms D
 *
 * H_k = H_n + H_r, the parts of a key's head without and with rotary positions; R is rows of positions. Layers that
 * read another layer's cache have no projections to keys and values. Biases, the offsets of LayerNorm and further
 * norms (of Q and K, after a block) are left out: under 0.1 % of every model in the catalogue.
 *
 * Further layers that predict more tokens are counted beside the total, as their authors do: DeepSeek-V3 has
 * 671e9 parameters and 11.5e9 more in its MTP module (README_WEIGHTS.md of deepseek-ai/DeepSeek-V3); its files, of
 * 685e9, hold a second copy of the embedding and the unembedding for the module.
 *
 * Sources: "How To Scale Your Model", Transformers; DeepSeek-V2 (arXiv 2405.04434), section 2.1; checked against
 * published counts in fixtures/models.
 */
import { cacheLayers } from './attention-layers.ts'
import { compressedParameters } from './compressed-attention.ts'
import { denseLayers, expertLayerParameters, expertLayers } from './expert-layers.ts'
import { blocksOfLayer } from './layer-pattern.ts'
import { indexedShare, indexParameters } from './position-index.ts'
import { attendingLayers, recurrenceParameters, recurrentLayers } from './recurrence.ts'
import { lastStreamRows, streamRows } from './residual-streams.ts'
import type { Transformer } from './transformer.ts'

export interface LayerParameters {
  readonly mlp: number
  readonly attention: number
  readonly norm: number
}

export interface ParameterCount extends LayerParameters {
  /** All routed experts, which are a part of `mlp`. */
  readonly experts: number
  /** Input embedding and learned positions. */
  readonly embedding: number
  /** 0 when tied to the embedding. */
  readonly unembedding: number
  readonly total: number
  /** All parameters but the routed experts that a token does not visit; includes the embedding's look-up table. */
  readonly active: number
  /** The part of `mlp` that one token meets. */
  readonly activeMlp: number
  /** Parameters that every token meets in a matmul, the unembedding included, tied or not; the embedding is a look-up. */
  readonly matmul: number
  /** Parameters of layers that predict tokens after the next; not in the total. */
  readonly multiToken: number
}

/** Parameters of a layer with a dense MLP that attends and keeps its own keys and values; an index that only some layers have counts as its mean. */
export function layerParameters(model: Transformer): LayerParameters {
  const { dModel, dFf } = model
  return {
    mlp: mlpMatrices(model) * dModel * dFf,
    attention: queryAndOutput(model) + keysAndValues(model) + indexedShare(model) * indexParameters(model),
    norm: ((model.parallelBlocks ? 1 : 2) + streamRows(model)) * dModel + rankNorms(model),
  }
}

export function parameterCount(model: Transformer): ParameterCount {
  const { layers, dModel, vocab } = model
  const layer = layerParameters(model)
  const routing = expertLayerParameters(model)
  const sparse = expertLayers(model)
  const dense = denseLayers(model)
  const experts = sparse * routing.routed
  const mlp = dense * layer.mlp + sparse * (routing.router + routing.shared) + experts
  const activeMlp = dense * layer.mlp + sparse * routing.active
  const recurrent = recurrenceParameters(model)
  const attending = attendingLayers(model)
  const attention =
    attending * layer.attention -
    (attending - cacheLayers(model)) * keysAndValues(model) +
    recurrentLayers(model) * recurrent.matmul
  const ofBlocks = layers * (blocksOfLayer(model) + streamRows(model)) * dModel
  const ofMixers = attending * rankNorms(model) + recurrentLayers(model) * recurrent.vectors
  const norm = ofBlocks + ofMixers + (1 + lastStreamRows(model)) * dModel
  const embedding = (vocab + model.learnedPositions) * dModel
  const vocabMatrix = vocab * dModel
  const unembedding = model.tiedEmbeddings ? 0 : vocabMatrix
  const total = mlp + attention + norm + embedding + unembedding
  return {
    mlp,
    experts,
    activeMlp,
    attention,
    norm,
    embedding,
    unembedding,
    total,
    active: total - mlp + activeMlp,
    matmul: activeMlp + attention + vocabMatrix,
    multiToken: multiTokenParameters(model),
  }
}

/** Three matrices (gate, up, down) or two (up, down). */
function mlpMatrices(model: Transformer): number {
  return model.gatedMlp ? 3 : 2
}

function queryAndOutput(model: Transformer): number {
  const { dModel, heads, headDim, attention } = model
  const { latent, outputGate, compressed } = attention
  if (compressed) return compressedParameters(model) - keysAndValues(model)
  if (!latent) return (outputGate ? 3 : 2) * dModel * headDim * heads
  const { queryRank, nopeHeadDim, ropeHeadDim, valueHeadDim } = latent
  const queries = heads * (nopeHeadDim + ropeHeadDim)
  const query = queryRank === null ? dModel * queries : queryRank * (dModel + queries)
  return query + heads * valueHeadDim * dModel
}

function keysAndValues({ dModel, heads, kvHeads, headDim, attention }: Transformer): number {
  const { latent, compressed } = attention
  if (compressed) return dModel * headDim
  if (!latent) return 2 * dModel * headDim * kvHeads
  const { keyValueRank, nopeHeadDim, ropeHeadDim, valueHeadDim } = latent
  return dModel * (keyValueRank + ropeHeadDim) + keyValueRank * heads * (nopeHeadDim + valueHeadDim)
}

/** Norms of low ranks and of the keys made with them. */
function rankNorms({ headDim, attention: { latent, compressed } }: Transformer): number {
  if (compressed) return compressed.queryRank + headDim
  return latent ? (latent.queryRank ?? 0) + latent.keyValueRank : 0
}

function multiTokenParameters(model: Transformer): number {
  const { dModel, multiTokenLayers, experts } = model
  const { attention, mlp, norm } = layerParameters(model)
  const { router, routed, shared } = expertLayerParameters(model)
  const block = attention + norm + (experts ? router + routed + shared : mlp)
  return multiTokenLayers * (block + 2 * dModel * dModel + 3 * dModel)
}
