/** The model that MaxText's keys describe: one of its own by name, or dimensions. Source: as config.ts, src/maxtext/configs/base.yml. */
import { type Fields, ownValue } from '../../../fields.ts'
import type { Keys } from '../../read/fields.ts'
import type { BesideName } from '../../read/reading.ts'
import { besideNameIn, isGated } from './dimensions.ts'

export interface ModelRead {
  /** Null if the keys do not give its dimensions. */
  readonly model: Fields | null
  readonly named: string | null
  readonly besideName: BesideName | null
}

export function readMaxtextModel(keys: Keys, isCommand: boolean): ModelRead {
  const name = keys.text('model_name', 'default')
  const block = keys.text('decoder_block', 'llama2')
  const layers = keys.number('base_num_decoder_layers', 0) * (block === 'gemma2' ? 2 : 1)
  const dModel = keys.number('base_emb_dim', 0)
  const heads = keys.number('base_num_query_heads', 0)
  const fields = {
    layers,
    dModel,
    dFf: keys.number('base_mlp_dim', 0),
    heads,
    kvHeads: keys.number('base_num_kv_heads', heads),
    headDim: keys.number('head_dim', 128),
    vocab: keys.number('vocab_size', 32_000),
    gatedMlp: isGated(keys.value('mlp_activations')),
    tiedEmbeddings: keys.is('logits_via_embedding'),
    learnedPositions: keys.number('trainable_position_size', 0),
  }
  const more = { ...expertsOf(keys, layers), ...attentionOf(keys, block), ...furtherOf(keys) }
  const named = name === 'default' ? null : name
  const whole = layers > 0 && dModel > 0 && heads > 0 && named === null
  const learned = Math.max(0, fields.learnedPositions)
  const besideName = besideNameIn(keys, named, isCommand)
  return { model: whole ? { ...fields, learnedPositions: learned, ...more } : null, named, besideName }
}

function expertsOf(keys: Keys, layers: number): Fields {
  const experts = keys.number('num_experts', 1)
  const activeExperts = keys.number('num_experts_per_tok', 1)
  const shared = keys.number('shared_experts', 0)
  const denseLayers = keys.number('first_num_dense_layers', 0)
  const every = keys.number('interleave_moe_layer_step', 1)
  const width = keys.number('base_moe_mlp_dim', keys.number('base_mlp_dim', 0))
  const nodeLimit = keys.number('topk_routing_group', -1)
  keys.number('n_routing_groups', -1)
  if (experts <= 1 || layers === 0) return {}
  return {
    moe: {
      ...{ experts, activeExperts, dFfExpert: width, denseLayers, every },
      ...(shared > 0 ? { sharedExperts: shared } : {}),
      ...(nodeLimit > 0 ? { nodeLimit } : {}),
    },
  }
}

function attentionOf(keys: Keys, block: string): Fields {
  const window = keys.number('sliding_window_size', 0)
  const chunk = keys.number('chunk_attn_window_size', 0)
  const nope = keys.number('nope_layer_interval', 0)
  const rank = keys.number('q_lora_rank', 0)
  const latent = {
    queryRank: rank > 0 ? rank : null,
    keyValueRank: keys.number('kv_lora_rank', 512),
    nopeHeadDim: keys.number('qk_nope_head_dim', 128),
    ropeHeadDim: keys.number('qk_rope_head_dim', 64),
    valueHeadDim: keys.number('v_head_dim', 128),
  }
  if (keys.text('attention_type', 'global') === 'mla')
    return { attention: { kind: 'mla', mla: latent, ...indexOf(keys) } }
  if (block === 'llama4' && chunk > 0) return { attention: { window: chunk, globalEvery: Math.max(0, nope) } }
  const globalEvery = ownValue(cycles, block)
  return window > 0 && globalEvery !== undefined ? { attention: { window, globalEvery } } : {}
}

function indexOf(keys: Keys): Fields {
  const positions = keys.number('indexer_topk', 2048)
  const [heads, headDim] = [keys.number('indexer_n_heads', 64), keys.number('indexer_head_dim', 128)]
  return keys.is('use_indexer') ? { index: { positions, heads, headDim } } : {}
}

/** For blocks with windows: every n-th layer reads all positions. */
const cycles: Readonly<Record<string, number>> = { gemma2: 2, gemma3: 6, gpt_oss: 2 }

function furtherOf(keys: Keys): Fields {
  const multiTokenLayers = keys.number('mtp_num_layers', 0)
  return multiTokenLayers > 0 ? { multiTokenLayers } : {}
}
