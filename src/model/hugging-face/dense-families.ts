/** Dense models with Llama's field names: gated MLP, rotary positions, grouped heads. */
import { always, either, type Family, flag, needed, optional, whereAbsent } from './family.ts'
import { globalEvery, noWindow, switchedWindows, windowInAll } from './windows.ts'

export const llama: Family = {
  source: 'transformers, models/llama/configuration_llama.py',
  layers: needed('layers', 'num_hidden_layers'),
  dModel: needed('width', 'hidden_size'),
  dFf: needed('mlpWidth', 'intermediate_size'),
  heads: needed('heads', 'num_attention_heads'),
  kvHeads: optional('heads', 'num_key_value_heads'),
  headDim: optional('headDim', 'head_dim'),
  vocab: needed('vocab', 'vocab_size'),
  gatedMlp: always(true),
  tiedEmbeddings: flag('tie_word_embeddings', false),
  learnedPositions: always(0),
  parallelBlocks: always(false),
  maxSequenceLength: optional('positions', 'max_position_embeddings'),
  windows: noWindow,
  experts: null,
  latent: null,
  multiTokenLayers: always(0),
}

export const mistral: Family = {
  ...llama,
  source: 'transformers, models/mistral/configuration_mistral.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  windows: windowInAll('sliding_window', 4096),
}

export const qwen2: Family = {
  ...llama,
  source: 'transformers, models/qwen2/configuration_qwen2.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 32),
  windows: switchedWindows(28),
}

const qwen2Vl: Family = {
  ...qwen2,
  source: 'transformers, models/qwen2_vl/configuration_qwen2_vl.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  windows: switchedWindows(80),
}

/** Where a config leaves out the width of heads, Qwen3 has a width of its own. */
const qwen3: Family = {
  ...qwen2,
  source: 'transformers, models/qwen3/configuration_qwen3.py',
  headDim: either('headDim', 'head_dim', 128),
}

const gemma: Family = {
  ...llama,
  source: 'transformers, models/gemma/configuration_gemma.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 16),
  headDim: either('headDim', 'head_dim', 256),
  tiedEmbeddings: flag('tie_word_embeddings', true),
}

const gemma2: Family = {
  ...gemma,
  source: 'transformers, models/gemma2/configuration_gemma2.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 4),
  windows: globalEvery('sliding_window', 'sliding_window_pattern', 2, 4096),
}

/** Its text_config is stored as the difference from these defaults. */
const gemma3: Family = {
  ...gemma,
  source: 'transformers, models/gemma3/configuration_gemma3.py',
  vocab: either('vocab', 'vocab_size', 262_208),
  heads: either('heads', 'num_attention_heads', 8),
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 4),
  windows: globalEvery('sliding_window', 'sliding_window_pattern', 6, 4096),
}

const phi3: Family = {
  ...llama,
  source: 'transformers, models/phi3/configuration_phi3.py',
  windows: windowInAll('sliding_window'),
}

const cohere: Family = {
  ...llama,
  source: 'transformers, models/cohere/configuration_cohere.py',
  tiedEmbeddings: flag('tie_word_embeddings', true),
  parallelBlocks: always(true),
}

const cohere2: Family = {
  ...cohere,
  source: 'transformers, models/cohere2/configuration_cohere2.py',
  windows: globalEvery('sliding_window', 'sliding_window_pattern', 4, 4096),
}

const ernie: Family = {
  ...llama,
  source: 'transformers, models/ernie4_5/configuration_ernie4_5.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 2),
  headDim: either('headDim', 'head_dim', 128),
  tiedEmbeddings: flag('tie_word_embeddings', true),
}

/** Its MLP has an activation with learned numbers and no gate. */
const apertus: Family = {
  ...llama,
  source: 'transformers, models/apertus/configuration_apertus.py',
  gatedMlp: always(false),
}

export const denseFamilies: Readonly<Record<string, Family>> = {
  llama,
  mistral,
  ministral: mistral,
  mistral3: mistral,
  qwen2,
  qwen2_vl: qwen2Vl,
  qwen2_vl_text: qwen2Vl,
  qwen2_5_vl: qwen2Vl,
  qwen2_5_vl_text: qwen2Vl,
  qwen3,
  qwen3_vl_text: qwen3,
  gemma,
  gemma2,
  gemma3,
  gemma3_text: gemma3,
  phi3,
  cohere,
  cohere2,
  granite: { ...llama, source: 'transformers, models/granite/configuration_granite.py' },
  olmo: { ...llama, source: 'transformers, models/olmo/configuration_olmo.py' },
  olmo2: { ...llama, source: 'transformers, models/olmo2/configuration_olmo2.py' },
  olmo3: {
    ...llama,
    source: 'transformers, models/olmo3/configuration_olmo3.py',
    windows: globalEvery('sliding_window', 'sliding_window_pattern', 4, 4096),
  },
  ernie4_5: ernie,
  apertus,
  nemotron: {
    ...apertus,
    source: 'transformers, models/nemotron/configuration_nemotron.py',
  },
  hunyuan_v1_dense: {
    ...llama,
    source: 'transformers, models/hunyuan_v1_dense/configuration_hunyuan_v1_dense.py',
  },
  seed_oss: {
    ...llama,
    source: 'transformers, models/seed_oss/configuration_seed_oss.py',
    kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
    headDim: either('headDim', 'head_dim', 128),
  },
  internlm2: { ...llama, source: 'configuration_internlm2.py of internlm/internlm2-7b' },
  internlm3: { ...llama, source: 'configuration_internlm3.py of internlm/internlm3-8b-instruct' },
  baichuan: {
    ...llama,
    source: 'configuration_baichuan.py of baichuan-inc/Baichuan2-13B-Base',
    kvHeads: always(undefined),
    headDim: always(undefined),
    maxSequenceLength: optional('positions', 'max_position_embeddings', 'model_max_length'),
  },
  smollm3: {
    ...llama,
    source: 'transformers, models/smollm3/configuration_smollm3.py',
    kvHeads: whereAbsent('heads', 'num_key_value_heads', 4),
    tiedEmbeddings: flag('tie_word_embeddings', true),
  },
}
