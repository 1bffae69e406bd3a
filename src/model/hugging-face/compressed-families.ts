/** DeepSeek-V4: attention to a window and to pooled positions, residual streams beside each other, and experts in all layers. */
import { limits } from '../limits.ts'
import type { CompressedAttention } from '../transformer.ts'
import { deepseekV2 } from './deepseek-families.ts'
import { llama } from './dense-families.ts'
import { always, countOr, type ExpertCells, either, type Family, needed } from './family.ts'
import type { Fields } from './fields.ts'

/** Positions that a layer of a name pools, where a config does not say. */
const pooled = { compressed_sparse_attention: 4, heavily_compressed_attention: 128 } as const

type Layers = keyof typeof pooled | 'sliding_attention'

const experts: ExpertCells = {
  experts: needed('experts', 'n_routed_experts'),
  activeExperts: needed('experts', 'num_experts_per_tok'),
  sharedExperts: countOr('experts', 'n_shared_experts', 1),
  dFfExpert: needed('mlpWidth', 'moe_intermediate_size'),
  denseLayers: always(0),
  every: always(1),
  nodeLimit: always(undefined),
}

/** Its first layers choose experts by a table of tokens: such a layer has the same experts, and a router that weighs them. */
const deepseekV4: Family = {
  ...llama,
  source:
    'config.json of deepseek-ai/DeepSeek-V4-Flash and -Pro; transformers, models/deepseek_v4/configuration_deepseek_v4.py, by docs model_doc/deepseek_v4; NVIDIA-NeMo/Megatron-Bridge @067f987df, deepseek_v4_bridge.py',
  dFf: needed('mlpWidth', 'moe_intermediate_size'),
  kvHeads: either('heads', 'num_key_value_heads', 1),
  headDim: either('headDim', 'head_dim', 512),
  experts,
  index: {
    positions: either('positions', 'index_topk', 512),
    heads: either('heads', 'index_n_heads', 64),
    headDim: either('headDim', 'index_head_dim', 128),
    firstLayers: always(0),
    every: always(1),
  },
  compressed: compressedIn,
  residualStreams: either('heads', 'hc_mult', 4),
  multiTokenLayers: deepseekV2.multiTokenLayers,
}

export const compressedFamilies: Readonly<Record<string, Family>> = { deepseek_v4: deepseekV4 }

function compressedIn(fields: Fields): CompressedAttention {
  for (const name of ['compress_rope_theta', 'hc_sinkhorn_iters', 'num_hash_layers', 'expert_dtype'])
    fields.value(name)
  const layers = layersIn(fields)
  const pool = (name: keyof typeof pooled) => {
    const own = layers.filter((layer) => layer === name)
    return { positions: ratesIn(fields)[name], layers: own.length }
  }
  return {
    ropeHeadDim: fields.number(['qk_rope_head_dim'], limits.headDim) ?? 64,
    // Servers keep no other: vLLM asserts fp8, SGLang takes fp8_e4m3 for `auto`.
    cacheType: 'fp8',
    queryRank: fields.needed(['q_lora_rank'], limits.width),
    outputGroups: fields.needed(['o_groups'], limits.heads),
    outputRank: fields.needed(['o_lora_rank'], limits.width),
    window: fields.number(['sliding_window'], limits.positions) ?? 128,
    sparse: pool('compressed_sparse_attention'),
    heavy: pool('heavily_compressed_attention'),
  }
}

function ratesIn(fields: Fields): Readonly<Record<keyof typeof pooled, number>> {
  const rates = fields.part('compress_rates')
  const of = (name: keyof typeof pooled) => rates.number([name], limits.positions) ?? pooled[name]
  return {
    compressed_sparse_attention: of('compressed_sparse_attention'),
    heavily_compressed_attention: of('heavily_compressed_attention'),
  }
}

/** By name, or by how many positions each layer pools, 0 for none; the last entries may be of layers that predict further tokens. */
function layersIn(fields: Fields): readonly Layers[] {
  const count = fields.number(['num_hidden_layers'], limits.layers) ?? 1
  const ofRate = new Map<unknown, Layers>([[0, 'sliding_attention']])
  for (const [name, rate] of Object.entries(pooled)) ofRate.set(rate, name as Layers)
  const names: readonly Layers[] = [...ofRate.values()]
  const types = fields.list('layer_types')
  const listed = types ? 'layer_types' : 'compress_ratios'
  const entries = types ?? fields.list('compress_ratios')?.slice(0, count)
  if (!entries || entries.length !== count) {
    fields.fault(listed, `has to have an entry for each of the ${count} layers`)
    return []
  }
  return entries.flatMap((entry, layer): readonly Layers[] => {
    const found = types ? names.find((name) => name === entry) : ofRate.get(entry)
    if (found) return [found]
    const known = types ? names : [...ofRate.keys()]
    fields.fault(`${listed}/${layer}`, `is none of ${known.join(', ')}`)
    return []
  })
}
