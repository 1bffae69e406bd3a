/** Mixtures of experts; those with DeepSeek's experts are in deepseek-families.ts. */
import { limits } from '../limits.ts'
import { llama, mistral, qwen2 } from './dense-families.ts'
import {
  always,
  countOr,
  type ExpertCells,
  either,
  type Family,
  flag,
  inside,
  type NumberCell,
  needed,
  optional,
  type Windows,
  whereAbsent,
} from './family.ts'
import type { Fields } from './fields.ts'
import { globalEvery, windowInAll } from './windows.ts'

const inEveryLayer: ExpertCells = {
  experts: needed('experts', 'num_local_experts'),
  activeExperts: needed('experts', 'num_experts_per_tok'),
  sharedExperts: always(0),
  dFfExpert: needed('mlpWidth', 'intermediate_size'),
  denseLayers: always(0),
  every: always(1),
  nodeLimit: always(undefined),
}

const mixtral: Family = {
  ...mistral,
  source: 'transformers, models/mixtral/configuration_mixtral.py',
  windows: windowInAll('sliding_window'),
  experts: inEveryLayer,
}

export const qwenExperts: ExpertCells = {
  ...inEveryLayer,
  experts: needed('experts', 'num_experts'),
  dFfExpert: needed('mlpWidth', 'moe_intermediate_size'),
  denseLayers: firstDenseLayers,
  every: either('layers', 'decoder_sparse_step', 1),
}

const qwen2Moe: Family = {
  ...qwen2,
  source: 'transformers, models/qwen2_moe/configuration_qwen2_moe.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 16),
  experts: { ...qwenExperts, sharedExperts: sharedInWidths },
}

/** Where no width is given, heads fill the stream, unlike those of the dense Qwen3. */
const qwen3Moe: Family = {
  ...qwen2,
  source: 'transformers, models/qwen3_moe/configuration_qwen3_moe.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 4),
  experts: qwenExperts,
}

const qwen3VlMoe: Family = {
  ...qwen3Moe,
  source: 'transformers, models/qwen3_vl_moe/configuration_qwen3_vl_moe.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 16),
}

const olmoe: Family = {
  ...llama,
  source: 'transformers, models/olmoe/configuration_olmoe.py',
  experts: { ...inEveryLayer, experts: needed('experts', 'num_experts') },
}

/** Experts are as wide as intermediate_size, dense layers as intermediate_size_mlp; one expert is shared. */
const llama4: Family = {
  ...llama,
  source: 'transformers, models/llama4/configuration_llama4.py',
  dFf: either('mlpWidth', 'intermediate_size_mlp', 16_384),
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  headDim: either('headDim', 'head_dim', 128),
  windows: chunksAsWindows,
  experts: {
    ...inEveryLayer,
    activeExperts: either('experts', 'num_experts_per_tok', 1),
    sharedExperts: always(1),
    every: either('layers', 'interleave_moe_layer_step', 1),
  },
}

const gptOss: Family = {
  ...llama,
  source: 'transformers, models/gpt_oss/configuration_gpt_oss.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  headDim: either('headDim', 'head_dim', 64),
  biases: flag('attention_bias', true),
  windows: besideSinks,
  experts: inEveryLayer,
}

const dbrx: Family = {
  ...llama,
  source: 'transformers, models/dbrx/configuration_dbrx.py',
  layers: needed('layers', 'n_layers'),
  dModel: needed('width', 'd_model'),
  dFf: inside('ffn_config', needed('mlpWidth', 'ffn_hidden_size')),
  heads: needed('heads', 'n_heads'),
  kvHeads: inside('attn_config', either('heads', 'kv_n_heads', 1)),
  headDim: always(undefined),
  maxSequenceLength: optional('positions', 'max_seq_len'),
  experts: {
    ...inEveryLayer,
    experts: inside('ffn_config', needed('experts', 'moe_num_experts')),
    activeExperts: inside('ffn_config', needed('experts', 'moe_top_k')),
    dFfExpert: inside('ffn_config', needed('mlpWidth', 'ffn_hidden_size')),
  },
}

/** Experts are as wide as intermediate_size; the layers of its MTP are not among the released weights. */
const minimaxM2: Family = {
  ...mixtral,
  source: 'configuration_minimax_m2.py of MiniMaxAI/MiniMax-M2',
  windows: llama.windows,
}

const ernieMoe: Family = {
  ...llama,
  source: 'transformers, models/ernie4_5_moe/configuration_ernie4_5_moe.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 4),
  tiedEmbeddings: flag('tie_word_embeddings', true),
  experts: {
    ...inEveryLayer,
    experts: either('experts', 'moe_num_experts', 64),
    activeExperts: either('experts', 'moe_k', 6),
    sharedExperts: countOr('experts', 'moe_num_shared_experts', 2),
    dFfExpert: either('mlpWidth', 'moe_intermediate_size', 1536),
    denseLayers: countOr('layers', 'moe_layer_start_index', 1),
    every: intervalToEnd,
  },
}

const hunyuanMoe: Family = {
  ...llama,
  source: 'transformers, models/hunyuan_v1_moe/configuration_hunyuan_v1_moe.py',
  headDim: optional('headDim', 'head_dim', 'attention_head_dim'),
  experts: {
    ...inEveryLayer,
    experts: sameInAll('experts', 'num_experts'),
    activeExperts: sameInAll('experts', 'moe_topk'),
    sharedExperts: sameInAll('experts', 'num_shared_expert', 1),
    dFfExpert: sameInAll('mlpWidth', 'moe_intermediate_size'),
  },
}

export const expertFamilies: Readonly<Record<string, Family>> = {
  mixtral,
  phimoe: { ...mixtral, source: 'transformers, models/phimoe/configuration_phimoe.py' },
  granitemoe: {
    ...mixtral,
    source: 'transformers, models/granitemoe/configuration_granitemoe.py',
    kvHeads: llama.kvHeads,
    windows: llama.windows,
    tiedEmbeddings: flag('tie_word_embeddings', false),
  },
  qwen2_moe: qwen2Moe,
  qwen3_moe: qwen3Moe,
  qwen3_vl_moe_text: qwen3VlMoe,
  olmoe,
  llama4,
  llama4_text: llama4,
  gpt_oss: gptOss,
  dbrx,
  minimax_m2: minimaxM2,
  ernie4_5_moe: ernieMoe,
  hunyuan_v1_moe: hunyuanMoe,
}

/** Layers after the last with experts, if there are any, have no place in the model. */
function intervalToEnd(fields: Fields): number {
  const end = fields.value('moe_layer_end_index')
  const layers = fields.number(['num_hidden_layers'], limits.layers) ?? 1
  if (typeof end === 'number' && end >= 0 && end < layers - 1)
    fields.note('moe_layer_end_index: layers after it are taken as having experts too')
  return either('layers', 'moe_layer_interval', 1)(fields)
}

/** A number, or a list of it for each layer. */
function sameInAll(limit: 'experts' | 'mlpWidth', name: string, otherwise?: number): NumberCell {
  return (fields) => {
    const value = fields.value(name) ?? otherwise
    const each: readonly unknown[] = Array.isArray(value) ? value : [value]
    const [first] = each
    const isNumber =
      typeof first === 'number' && Number.isInteger(first) && first > 0 && first <= limits[limit]
    if (isNumber && each.every((other) => other === first)) return first
    fields.fault(name, 'is required, as a whole number that is the same in all layers')
    return 1
  }
}

/** Qwen lists the layers without experts; the model can express only those at the beginning. */
function firstDenseLayers(fields: Fields): number {
  const dense = fields.list('mlp_only_layers') ?? []
  const first = dense.findIndex((layer, index) => layer !== index)
  if (first === -1) return dense.length
  fields.note('mlp_only_layers: only those before the first layer with experts are taken as dense')
  return first
}

/** Qwen's shared expert is one wide MLP. */
export function sharedInWidths(fields: Fields): number {
  return sharedOfWidth('shared_expert_intermediate_size', 5632)(fields)
}

/** A shared MLP of a width of its own counts as a multiple of a routed expert's. */
export function sharedOfWidth(name: string, otherwise: number, routed = 'moe_intermediate_size'): NumberCell {
  return (fields) => {
    const whole = fields.count(name, limits.mlpWidth) ?? otherwise
    const one = fields.number([routed], limits.mlpWidth) ?? 1
    if (whole % one === 0) return whole / one
    fields.fault(name, `is no multiple of ${routed}, ${one}`)
    return 0
  }
}

/** Source: OpenAI 2025, gpt-oss model card (arXiv 2508.10925), section 2.2. */
function besideSinks(fields: Fields): Windows {
  fields.note('attention sinks: one learned logit for each head in the softmax, nothing in bytes or FLOPs')
  return globalEvery('sliding_window', 'sliding_window_pattern', 2, 128)(fields)
}

/** A query in a chunk meets half of it on average: the bound on the cache is that of a window, the FLOPs are fewer. */
function chunksAsWindows(fields: Fields): Windows {
  const windows = globalEvery('attention_chunk_size', 'no_rope_layer_interval', 4, 8192)(fields)
  if (windows.window !== undefined)
    fields.note('attention_chunk_size: chunks are taken as windows of that size')
  return windows
}
