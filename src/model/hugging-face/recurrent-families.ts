/** Models of which only some layers attend: the others have a recurrence (recurrent-mixers.ts). */
import { limits } from '../limits.ts'
import { type Attending, attendingPattern } from '../recurrence.ts'
import { deepseekV2 } from './deepseek-families.ts'
import { qwen2 } from './dense-families.ts'
import { qwenExperts, sharedInWidths } from './expert-families.ts'
import {
  always,
  countOr,
  either,
  type Family,
  flag,
  inside,
  type NumberCell,
  needed,
  optional,
  type RecurrenceCells,
  whereAbsent,
} from './family.ts'
import type { Fields } from './fields.ts'
import { layerTypes, noWindow } from './windows.ts'

const gatedDeltaNet: RecurrenceCells = {
  mixer: 'gated-delta-net',
  attentionEvery,
  keyHeads: either('heads', 'linear_num_key_heads', 16),
  keyDim: either('headDim', 'linear_key_head_dim', 128),
  heads: either('heads', 'linear_num_value_heads', 32),
  valueDim: either('headDim', 'linear_value_head_dim', 128),
  convolution: either('positions', 'linear_conv_kernel_dim', 4),
}

/** Its config does not say that the weights have a layer that predicts a further token; they do (tensors named mtp). */
const qwen3Next: Family = {
  ...qwen2,
  source:
    'transformers, models/qwen3_next/configuration_qwen3_next.py; tensors of Qwen3-Next-80B-A3B-Instruct',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 2),
  headDim: either('headDim', 'head_dim', 256),
  windows: noWindow,
  outputGate: always(true),
  recurrence: gatedDeltaNet,
  experts: { ...qwenExperts, sharedExperts: sharedInWidths },
  multiTokenLayers: always(1),
}

const qwen35: Family = {
  ...qwen3Next,
  source: 'transformers, models/qwen3_5/configuration_qwen3_5.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 4),
  outputGate: flag('attn_output_gate', true),
  experts: null,
  multiTokenLayers: countOr('layers', 'mtp_num_hidden_layers', 0),
}

/** Every layer has experts, so that nothing has the width of a dense MLP, which its config may leave out. */
const qwen35Moe: Family = {
  ...qwen35,
  source: 'transformers, models/qwen3_5_moe/configuration_qwen3_5_moe.py',
  dFf: needed('mlpWidth', 'intermediate_size', 'moe_intermediate_size'),
  kvHeads: qwen3Next.kvHeads,
  experts: qwen3Next.experts,
}

const ofLinear = (cell: NumberCell) => inside('linear_attn_config', cell)

/** Kimi-K3 has the same type, and what is not modelled: experts in a latent space, and residuals that attend to earlier blocks. */
const kimiLinear: Family = {
  ...deepseekV2,
  source: 'configuration_kimi.py of moonshotai/Kimi-Linear-48B-A3B-Instruct',
  dModel: (fields) => {
    for (const name of ['routed_expert_hidden_size', 'attn_res_block_size'])
      if (fields.number([name], limits.width) !== undefined) fields.fault(name, 'is not modelled')
    return deepseekV2.dModel(fields)
  },
  experts: {
    experts: optional('experts', 'num_experts'),
    activeExperts: needed('experts', 'num_experts_per_token'),
    sharedExperts: countOr('experts', 'num_shared_experts', 0),
    dFfExpert: needed('mlpWidth', 'moe_intermediate_size'),
    denseLayers: countOr('layers', 'first_k_dense_replace', 0),
    every: either('layers', 'moe_layer_freq', 1),
    nodeLimit: always(undefined),
  },
  recurrence: {
    mixer: 'kda',
    attentionEvery: (fields) => listedAttending(fields).attentionEvery,
    lastAttends: (fields) => listedAttending(fields).lastAttends === true,
    keyHeads: ofLinear(needed('heads', 'num_heads')),
    keyDim: ofLinear(needed('headDim', 'head_dim')),
    heads: ofLinear(needed('heads', 'num_heads')),
    valueDim: ofLinear(needed('headDim', 'head_dim')),
    convolution: ofLinear(either('positions', 'short_conv_kernel_size', 4)),
  },
}

export const recurrentFamilies: Readonly<Record<string, Family>> = {
  qwen3_next: qwen3Next,
  qwen3_5_text: qwen35,
  qwen3_5_moe_text: qwen35Moe,
  kimi_linear: kimiLinear,
}

/** Layers that attend are listed, counted from 1. */
function listedAttending(fields: Fields): Attending {
  const layers = fields.number(['num_hidden_layers'], limits.layers) ?? 1
  const listed = fields.part('linear_attn_config').list('full_attn_layers') ?? []
  const numbers = Array.from({ length: layers }, (_, layer) => layer + 1)
  const pattern = attendingPattern(numbers.map((layer) => listed.includes(layer)))
  const inOrder = listed.join() === numbers.filter((layer) => listed.includes(layer)).join()
  if (pattern && inOrder) return pattern
  fields.fault('linear_attn_config/full_attn_layers', 'is no period of layers, with or without the last')
  return { attentionEvery: 2 }
}

/** A period, or a list of the layers, which has to have one: the last of every so many attends. */
function attentionEvery(fields: Fields): number {
  const every = fields.number(['full_attention_interval'], limits.layers)
  const types = layerTypes(fields, ['full_attention', 'linear_attention'])
  if (!types) return Math.max(2, every ?? 4)
  const pattern = attendingPattern(types.map((type) => type === 'full_attention'))
  if (pattern && !pattern.lastAttends) return pattern.attentionEvery
  fields.fault('layer_types', 'is no period of layers with linear_attention and one with full_attention')
  return 2
}
