/** Models of which only some layers attend: the others have a recurrence (recurrent-mixers.ts). */
import { limits } from '../limits.ts'
import { qwen2 } from './dense-families.ts'
import { qwenExperts, sharedInWidths } from './expert-families.ts'
import {
  always,
  countOr,
  either,
  type Family,
  flag,
  needed,
  type RecurrenceCells,
  whereAbsent,
} from './family.ts'
import type { Fields } from './fields.ts'
import { noWindow } from './windows.ts'

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

export const recurrentFamilies: Readonly<Record<string, Family>> = {
  qwen3_next: qwen3Next,
  qwen3_5_text: qwen35,
  qwen3_5_moe_text: qwen35Moe,
}

/** A period, or a list of the layers, which has to have one: the last of every so many attends. */
function attentionEvery(fields: Fields): number {
  const every = fields.number(['full_attention_interval'], limits.layers)
  const types = fields.list('layer_types')
  if (!types) return Math.max(2, every ?? 4)
  const period = types.indexOf('full_attention') + 1
  const regular = types.every(
    (type, layer) => type === ((layer + 1) % period === 0 ? 'full_attention' : 'linear_attention'),
  )
  if (period < 2 || !regular)
    fields.fault('layer_types', 'is no period of layers with linear_attention and one with full_attention')
  return Math.max(2, period)
}
