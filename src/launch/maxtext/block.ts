/**
 * The decoder block of MaxText that runs a model, and the keys that only this block has. Blocks also differ in norms
 * and biases, which cost nothing; what counts here is which layers have experts, and which positions attention reads:
 *
 *   llama2, gpt3   dense; all positions
 *   qwen3          the same, with norms of queries and keys
 *   mistral        the same: MaxText has no window for it, so that it fits only sequences no longer than the window
 *   gemma2         dense, gated by GELU; layers come in pairs, the first of each local, and MaxText counts pairs
 *   gemma3         the same, but counted singly: every sixth layer reads all positions
 *   mixtral        experts in every layer, none shared; all positions
 *   qwen3_moe      the same, with norms of queries and keys
 *   gpt_oss        the same, every second layer local
 *   llama4         one routed expert beside shared ones, in every n-th layer; all but every m-th layer local, in chunks
 *   deepseek       latent attention; dense layers first, experts in all others
 *
 * Experts are gated. If every layer has experts, the key for the MLP's width takes theirs. Source: as config.ts, and
 * src/maxtext/models/{mistral,gemma2,gemma3,mixtral,qwen3,gpt_oss,llama4,deepseek}.py.
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { expertLayers } from '../../model/expert-layers.ts'
import type { LatentAttention, MixtureOfExperts, Transformer } from '../../model/transformer.ts'
import type { MaxtextConfig } from './keys.ts'

/** Name of the block, and the keys that other blocks do not have. */
export interface Block {
  readonly name: string
  /** Number of layers after which the kinds of layers repeat. */
  readonly cycle: number
  readonly keys: MaxtextConfig
}

/** What choosing a block depends on. */
export interface Asked {
  readonly model: Transformer
  readonly sequenceLength: number
  readonly problem: { readonly cluster: Pick<Cluster, 'chip'> }
}

/** Keys of the model's dimensions, in training and for MaxText's engine. */
export function modelKeys(model: Transformer, { name, keys }: Block): MaxtextConfig {
  return {
    decoder_block: name,
    base_num_decoder_layers: model.layers,
    base_emb_dim: model.dModel,
    base_mlp_dim: mlpWidth(model),
    base_num_query_heads: model.heads,
    base_num_kv_heads: model.kvHeads,
    ...(model.attention.latent ? {} : { head_dim: model.headDim }),
    vocab_size: model.vocab,
    mlp_activations: model.gatedMlp ? ['silu', 'linear'] : ['gelu'],
    logits_via_embedding: model.tiedEmbeddings,
    ...keys,
  }
}

/** The keys of a block that say how it is run, which no config of a model does. */
export function kernelKeys({ keys }: Block): MaxtextConfig {
  return Object.fromEntries(Object.entries(keys).filter(([key]) => kernels.includes(key)))
}

const kernels = ['sparse_matmul', 'megablox']

/** If all layers have experts, MaxText wants the experts' width in place of the absent MLP's. */
function mlpWidth(model: Transformer): number {
  const { layers, dFf, experts } = model
  return experts && expertLayers(model) === layers ? experts.dFfExpert : dFf
}

export function noBlock({ model }: Pick<Asked, 'model'>): string {
  if (model.recurrence) return "MaxText's blocks with a recurrence (qwen3_next, qwen3_5) are not mapped"
  if (model.attention.compressed) return "MaxText's block of compressed attention (deepseek4) is not mapped"
  return 'MaxText has no decoder block with these experts and this attention'
}

/** Null if no block fits the model. A model has its own block at any length; where it has none for its window, one without windows runs what is no longer. */
export function maxtextBlock(run: Asked): Block | null {
  const { globalEvery, window } = run.model.attention
  const local = globalEvery === 1 ? null : window
  const own = blockWith(run, local)
  return own === null && local !== null && local >= run.sequenceLength ? blockWith(run, null) : own
}

function blockWith(run: Asked, local: number | null): Block | null {
  const { model } = run
  const { experts, attention } = model
  const { latent } = attention
  if (model.recurrence || model.layerPattern !== undefined || attention.outputGate) return null
  if (experts?.latentWidth !== undefined || attention.compressed || model.residualStreams) return null
  if (latent) return experts ? deepseek(run, latent, experts) : null
  if (!experts) return local === null ? dense(model) : gemma(model, local)
  if (!model.gatedMlp) return null
  const everywhere = expertLayers(model) === model.layers
  if (everywhere && experts.sharedExperts === 0) {
    if (local === null) return everywhereSparse(run, experts)
    return attention.globalEvery === 2 ? gptOss(run, experts, local) : null
  }
  return local === null ? null : llama4(run, experts, local)
}

function gemma({ gatedMlp, layers, attention }: Transformer, window: number): Block | null {
  const { globalEvery } = attention
  if (!gatedMlp) return null
  const keys = { sliding_window_size: window, mlp_activations: ['gelu', 'linear'] }
  const after = { use_post_attn_norm: true, use_post_ffw_norm: true }
  if (globalEvery === 6) return { name: 'gemma3', cycle: 6, keys: { ...keys, ...after } }
  if (globalEvery !== 2 || layers % 2 !== 0) return null
  return { name: 'gemma2', cycle: 2, keys: { ...keys, ...after, base_num_decoder_layers: layers / 2 } }
}

function dense({ learnedPositions, attention, details, gatedMlp }: Transformer): Block {
  if (learnedPositions > 0)
    return { name: 'gpt3', cycle: 1, keys: { trainable_position_size: learnedPositions } }
  const normed = gatedMlp && details?.queryKeyNorm
  if (normed && attention.window === null) return { name: 'qwen3', cycle: 1, keys: { use_qk_norm: true } }
  return { name: attention.window === null ? 'llama2' : 'mistral', cycle: 1, keys: {} }
}

function everywhereSparse(run: Asked, experts: MixtureOfExperts): Block {
  const { details } = run.model
  const keys = expertKeys(run, experts)
  if (!details?.queryKeyNorm) return { name: 'mixtral', cycle: 1, keys }
  // Weights of the chosen experts sum to 1 but where a softmax over all is left as it is.
  const sums = !(details.router?.beforeChoice ?? false)
  return { name: 'qwen3_moe', cycle: 1, keys: { ...keys, use_qk_norm: true, norm_topk_prob: sums } }
}

function gptOss(run: Asked, experts: MixtureOfExperts, window: number): Block | null {
  if (run.model.layers % 2 !== 0) return null
  const keys = { sliding_window_size: window, inhomogeneous_layer_cycle_interval: 2 }
  return { name: 'gpt_oss', cycle: 2, keys: { ...expertKeys(run, experts), ...keys } }
}

function llama4(run: Asked, experts: MixtureOfExperts, window: number): Block | null {
  const { layers, attention } = run.model
  const { globalEvery } = attention
  const { activeExperts, sharedExperts, denseLayers, every } = experts
  const cycle = leastCommonMultiple(Math.max(1, globalEvery), every)
  const alike = activeExperts === 1 && sharedExperts > 0 && denseLayers === 0
  if (!alike || globalEvery === 0 || layers % cycle !== 0) return null
  const keys = {
    shared_experts: sharedExperts,
    interleave_moe_layer_step: every,
    nope_layer_interval: globalEvery,
    chunk_attn_window_size: window,
    inhomogeneous_layer_cycle_interval: cycle,
  }
  return { name: 'llama4', cycle, keys: { ...expertKeys(run, experts), ...keys } }
}

function deepseek(run: Asked, latent: LatentAttention, experts: MixtureOfExperts): Block | null {
  const { gatedMlp, heads, kvHeads, attention } = run.model
  const { denseLayers, every, sharedExperts } = experts
  const local = attention.window !== null && attention.globalEvery !== 1
  const alike = every === 1 && denseLayers > 0 && sharedExperts > 0 && (attention.index?.every ?? 1) === 1
  if (!gatedMlp || !alike || local || heads !== kvHeads) return null
  const keys = {
    attention_type: 'mla',
    q_lora_rank: latent.queryRank ?? 0,
    kv_lora_rank: latent.keyValueRank,
    qk_nope_head_dim: latent.nopeHeadDim,
    qk_rope_head_dim: latent.ropeHeadDim,
    v_head_dim: latent.valueHeadDim,
    first_num_dense_layers: denseLayers,
    shared_experts: sharedExperts,
    ...indexKeys(attention),
  }
  return { name: 'deepseek', cycle: 1, keys: { ...expertKeys(run, experts), ...keys } }
}

function indexKeys({ index }: Transformer['attention']): MaxtextConfig {
  if (!index) return {}
  const { positions, heads, headDim } = index
  return { use_indexer: true, indexer_n_heads: heads, indexer_head_dim: headDim, indexer_topk: positions }
}

function expertKeys(run: Asked, { experts, activeExperts, dFfExpert }: MixtureOfExperts): MaxtextConfig {
  return {
    num_experts: experts,
    num_experts_per_tok: activeExperts,
    base_moe_mlp_dim: dFfExpert,
    sparse_matmul: true,
    // The megablox kernel is only for TPUs; other chips use JAX's own.
    megablox: run.problem.cluster.chip.kind === 'tpu',
  }
}

function leastCommonMultiple(a: number, b: number): number {
  let multiple = Math.max(a, b)
  while (multiple % a !== 0 || multiple % b !== 0) multiple += Math.max(a, b)
  return multiple
}
