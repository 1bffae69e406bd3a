/**
 * Models whose layers have a mixer alone or an MLP alone, by a pattern (layer-pattern.ts). Where a layer of a config has both, as others' have, but
 * Mamba-2 in some and attention in others at no regular distance, it is spelled as two: a norm and an addition to the stream stand
 * before and after each anyway.
 */
import { ownValue } from '../../fields.ts'
import { type Block, blockLetters, furtherBlocks } from '../layer-pattern.ts'
import { limits } from '../limits.ts'
import { llama } from './dense-families.ts'
import { sharedOfWidth } from './expert-families.ts'
import {
  always,
  countOr,
  either,
  type Family,
  needed,
  optional,
  type RecurrenceCells,
  whereAbsent,
} from './family.ts'
import type { Fields } from './fields.ts'

/** Fields that the released configs have are asked for; of the others, defaults are those of the class. */
const nemotronH: Family = {
  ...llama,
  source:
    'transformers, models/nemotron_h/configuration_nemotron_h.py; config.json of nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16',
  layers: (fields) =>
    optional('layers', 'num_hidden_layers')(fields) ?? Math.max(1, patternOf(fields).length),
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  headDim: optional('headDim', 'head_dim', 'attention_head_dim'),
  gatedMlp: always(false),
  layerPattern: patternOf,
  recurrence: {
    mixer: 'mamba-2',
    keyHeads: either('heads', 'n_groups', 8),
    keyDim: either('headDim', 'ssm_state_size', 128),
    heads: needed('heads', 'mamba_num_heads'),
    valueDim: either('headDim', 'mamba_head_dim', 64),
    convolution: either('positions', 'conv_kernel', 4),
  },
  experts: {
    experts: (fields) =>
      patternOf(fields).includes(blockLetters.sparse)
        ? needed('experts', 'n_routed_experts')(fields)
        : undefined,
    activeExperts: needed('experts', 'num_experts_per_tok'),
    sharedExperts: (fields) => {
      const count = countOr('experts', 'n_shared_experts', 1)(fields)
      return count * sharedOfWidth('moe_shared_expert_intermediate_size', 0)(fields)
    },
    dFfExpert: needed('mlpWidth', 'moe_intermediate_size'),
    latentWidth: optional('width', 'moe_latent_size'),
    denseLayers: always(0),
    every: always(1),
    nodeLimit: (fields) => {
      const groups = either('experts', 'n_group', 1)(fields)
      const kept = optional('experts', 'topk_group')(fields)
      return groups > 1 ? kept : undefined
    },
  },
  multiTokenLayers: (fields) => {
    const further = countOr('layers', 'num_nextn_predict_layers', 0)(fields)
    const pattern = patternOf(fields, 'mtp_hybrid_override_pattern', 'mtp_layers_block_type')
    if (further > 0 && pattern !== furtherBlocks)
      fields.fault(
        'num_nextn_predict_layers',
        'further layers are counted where each is one that attends and one with experts',
      )
    return further
  },
}

/** Mamba-2 under the names of Bamba's class, whose heads of values are `mamba_expand` times as wide as the stream together. */
const bambaRecurrence: RecurrenceCells = {
  mixer: 'mamba-2',
  keyHeads: either('heads', 'mamba_n_groups', 1),
  keyDim: either('headDim', 'mamba_d_state', 256),
  heads: either('heads', 'mamba_n_heads', 128),
  valueDim: (fields) => {
    if (fields.value('mamba_d_head') !== 'auto' && fields.states('mamba_d_head'))
      return needed('headDim', 'mamba_d_head')(fields)
    const whole = either('width', 'mamba_expand', 2)(fields) * llama.dModel(fields)
    return Math.max(1, Math.floor(whole / either('heads', 'mamba_n_heads', 128)(fields)))
  },
  convolution: either('positions', 'mamba_d_conv', 4),
}

const bamba: Family = {
  ...llama,
  source: 'transformers, models/bamba/configuration_bamba.py',
  layers: (fields) => 2 * llama.layers(fields),
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 8),
  layerPattern: (fields) => {
    const attending = new Set(fields.list('attn_layer_indices'))
    const layers = Array.from({ length: llama.layers(fields) }, (_, layer) => attending.has(layer))
    return inTwo(layers, 'dense')
  },
  recurrence: bambaRecurrence,
}

/** All layers have the shared MLP, which is the only one where there are no experts. */
const graniteMoeHybrid: Family = {
  ...llama,
  source: 'transformers, models/granitemoehybrid/configuration_granitemoehybrid.py',
  layers: (fields) => 2 * llama.layers(fields),
  dFf: either('mlpWidth', 'shared_intermediate_size', 1024),
  layerPattern: (fields) => {
    const types = fields.list('layer_types') ?? Array(llama.layers(fields)).fill('mamba')
    const unknown = types.findIndex((type) => type !== 'mamba' && type !== 'attention')
    if (unknown >= 0) fields.fault(`layer_types/${unknown}`, 'is neither mamba nor attention')
    const attending = types.map((type) => type === 'attention')
    return inTwo(attending, graniteExperts(fields) === undefined ? 'dense' : 'sparse')
  },
  recurrence: bambaRecurrence,
  experts: {
    experts: graniteExperts,
    activeExperts: either('experts', 'num_experts_per_tok', 2),
    sharedExperts: sharedOfWidth('shared_intermediate_size', 1024, 'intermediate_size'),
    dFfExpert: needed('mlpWidth', 'intermediate_size'),
    denseLayers: always(0),
    every: always(1),
    nodeLimit: always(undefined),
  },
}

export const patternedFamilies: Readonly<Record<string, Family>> = {
  nemotron_h: nemotronH,
  bamba,
  granitemoehybrid: graniteMoeHybrid,
}

function graniteExperts(fields: Fields): number | undefined {
  return (fields.count('num_local_experts', limits.experts) ?? 8) || undefined
}

/** A pattern of two layers for each: its mixer, and its MLP. */
function inTwo(attending: readonly boolean[], mlp: Block): string {
  const mixers = attending.map((attends) => blockLetters[attends ? 'attending' : 'recurrent'])
  return mixers.map((mixer) => mixer + blockLetters[mlp]).join('')
}

const blockOfType: Readonly<Record<string, Block | undefined>> = {
  mamba: 'recurrent',
  attention: 'attending',
  mlp: 'dense',
  moe: 'sparse',
}

/** As letters, or as a list of types of layers. */
function patternOf(fields: Fields, letters = 'hybrid_override_pattern', list = 'layers_block_type'): string {
  const types = fields.list(list)
  if (!types) return fields.text(letters)?.slice(0, limits.layers) ?? ''
  const blocks = types.map((type) => (typeof type === 'string' ? ownValue(blockOfType, type) : undefined))
  const unknown = blocks.indexOf(undefined)
  if (unknown >= 0) fields.fault(`${list}/${unknown}`, `is none of ${Object.keys(blockOfType).join(', ')}`)
  return blocks.map((block) => (block ? blockLetters[block] : '')).join('')
}
