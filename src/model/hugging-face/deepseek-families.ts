/** Families with DeepSeek's experts, which take some of the first layers dense, and with its latent attention. */
import { llama } from './dense-families.ts'
import {
  countOr,
  type ExpertCells,
  either,
  type Family,
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
const deepseekV2: Family = {
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
  experts: {
    ...deepseekExperts,
    sharedExperts: countOr('experts', 'n_shared_experts', 1),
    denseLayers: countOr('layers', 'first_k_dense_replace', 3),
    nodeLimit: limitedGroups(8, 4),
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
  kimi_k2: deepseekV3,
  glm4_moe: glm4Moe,
  dots1,
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
