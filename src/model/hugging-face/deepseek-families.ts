/** Families with DeepSeek's experts, which take some of the first layers dense, and with its latent attention. */
import { limits } from '../limits.ts'
import { llama } from './dense-families.ts'
import {
  always,
  countOr,
  type ExpertCells,
  either,
  type Family,
  type IndexCells,
  type LatentCells,
  needed,
  optional,
  whereAbsent,
} from './family.ts'
import type { Fields } from './fields.ts'

const deepseekExperts: ExpertCells = {
  experts: optional('experts', 'n_routed_experts'),
  activeExperts: needed('experts', 'num_experts_per_tok'),
  sharedExperts: countOr('experts', 'n_shared_experts', 0),
  dFfExpert: needed('mlpWidth', 'moe_intermediate_size'),
  denseLayers: countOr('layers', 'first_k_dense_replace', 0),
  every: either('layers', 'moe_layer_freq', 1),
  nodeLimit: limitedGroups(1),
}

const latent: LatentCells = {
  queryRank: whereAbsent('width', 'q_lora_rank', 1536),
  keyValueRank: needed('width', 'kv_lora_rank'),
  nopeHeadDim: needed('headDim', 'qk_nope_head_dim'),
  ropeHeadDim: needed('headDim', 'qk_rope_head_dim'),
  valueHeadDim: needed('headDim', 'v_head_dim'),
}

/** Keys and values of all heads come from one latent vector, so kv-heads and head_dim say nothing more. */
export const deepseekV2: Family = {
  ...llama,
  source: 'configuration_deepseek.py of deepseek-ai/DeepSeek-V2',
  kvHeads: ignoring('num_key_value_heads'),
  headDim: ignoring('head_dim'),
  experts: deepseekExperts,
  latent,
  multiTokenLayers: countOr('layers', 'num_nextn_predict_layers', 0),
}

const deepseekV3: Family = {
  ...deepseekV2,
  source: 'transformers, models/deepseek_v3/configuration_deepseek_v3.py',
  experts: deepseekV3Experts(8, 4),
}

const index: IndexCells = {
  positions: either('positions', 'index_topk', 2048),
  heads: either('heads', 'index_n_heads', 64),
  headDim: either('headDim', 'index_head_dim', 128),
  firstLayers: always(0),
  every: always(1),
}

const deepseekV32: Family = {
  ...deepseekV3,
  source:
    'config.json of deepseek-ai/DeepSeek-V3.2; transformers, models/deepseek_v32/configuration_deepseek_v32.py',
  index,
}

/** From GLM-5.2 on some layers meet what one before them chose. */
const glmMoeDsa: Family = {
  ...deepseekV32,
  source:
    'transformers, models/glm_moe_dsa/configuration_glm_moe_dsa.py; NVIDIA-NeMo/Megatron-Bridge @067f987df, glm5_bridge.py',
  experts: deepseekV3Experts(1),
  latent: { ...latent, ropeHeadDim: ropeOfWhole },
  index: {
    ...index,
    heads: either('heads', 'index_n_heads', 32),
    firstLayers: countOr('layers', 'index_skip_topk_offset', 0),
    every: indexEvery,
  },
}

const glm4Moe: Family = {
  ...llama,
  source: 'transformers, models/glm4_moe/configuration_glm4_moe.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  experts: {
    ...deepseekExperts,
    sharedExperts: countOr('experts', 'n_shared_experts', 1),
    denseLayers: countOr('layers', 'first_k_dense_replace', 1),
  },
  multiTokenLayers: countOr('layers', 'num_nextn_predict_layers', 0),
}

const dots1: Family = {
  ...llama,
  source: 'transformers, models/dots1/configuration_dots1.py',
  experts: deepseekExperts,
}

export const deepseekFamilies: Readonly<Record<string, Family>> = {
  deepseek_v2: deepseekV2,
  deepseek_v3: deepseekV3,
  deepseek_v32: deepseekV32,
  kimi_k2: deepseekV3,
  glm_moe_dsa: glmMoeDsa,
  glm4_moe: glm4Moe,
  dots1,
}

function deepseekV3Experts(defaultGroups: number, defaultKept?: number): ExpertCells {
  return {
    ...deepseekExperts,
    sharedExperts: countOr('experts', 'n_shared_experts', 1),
    denseLayers: countOr('layers', 'first_k_dense_replace', 3),
    nodeLimit: limitedGroups(defaultGroups, defaultKept),
  }
}

/** Versions of the class wrote the width of the rotary part as that of a head: what the whole width leaves is right in all of them. */
function ropeOfWhole(fields: Fields): number {
  const whole = fields.number(['qk_head_dim'], limits.headDim)
  const rope = fields.needed(['qk_rope_head_dim'], limits.headDim)
  const nope = fields.number(['qk_nope_head_dim'], limits.headDim) ?? 0
  return whole !== undefined && whole > nope ? whole - nope : rope
}

/** The layers with an index are listed as well; a list that follows no period cannot be told. */
function indexEvery(fields: Fields): number {
  const every = fields.number(['index_topk_freq'], limits.layers) ?? 1
  const first = Math.max(1, fields.count('index_skip_topk_offset', limits.layers) ?? 0)
  const pattern = fields.value('index_topk_pattern')
  if (pattern !== undefined) fields.fault('index_topk_pattern', 'is not understood beside index_topk_freq')
  const own = (fields.list('indexer_types') ?? []).map((type) => type === 'full')
  const differs = own.findIndex((has, layer) => has !== (layer < first || (layer - first + 1) % every === 0))
  const unsaid = ['index_topk_freq', 'index_skip_topk_offset'].filter((name) => !fields.states(name))
  if (differs >= 0) {
    for (const name of unsaid) fields.fault(name, 'is required beside such indexer_types')
    if (unsaid.length === 0)
      fields.fault(`indexer_types/${differs}`, `does not follow index_topk_freq, ${every}`)
  }
  return every
}

/** A single group is no limit. */
function limitedGroups(defaultGroups: number, defaultKept?: number) {
  return (fields: Fields): number | undefined => {
    const groups = either('experts', 'n_group', defaultGroups)(fields)
    const kept = optional('experts', 'topk_group')(fields)
    if (kept !== undefined && kept > groups && fields.states('n_group')) {
      fields.fault('topk_group', `${kept} groups cannot be kept: n_group is ${groups}`)
    }
    return groups > 1 ? (kept ?? defaultKept) : undefined
  }
}

function ignoring(name: string) {
  return (fields: Fields): undefined => {
    fields.number([name], Number.MAX_SAFE_INTEGER)
  }
}
