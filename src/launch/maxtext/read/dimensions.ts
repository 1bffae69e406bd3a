/**
 * Dimensions beside the name of a model. MaxText lays the model's own config over its file's keys, and settings of a command over both
 * only with override_model_config: without it, settings that differ from the model's config stop it. Source: AI-Hypercomputer/maxtext
 * e591f30, src/maxtext/configs/pyconfig.py, _initialize_pydantic and validate_no_keys_overridden_twice.
 */
import { type Keys, textOf } from '../../read/fields.ts'
import type { BesideName, SaidDimension } from '../../read/reading.ts'

/** Where the words of a request have what a key says. */
const places: Readonly<Record<string, string>> = {
  base_num_decoder_layers: 'layers',
  base_emb_dim: 'dModel',
  base_mlp_dim: 'dFf',
  base_num_query_heads: 'heads',
  base_num_kv_heads: 'kvHeads',
  head_dim: 'headDim',
  vocab_size: 'vocab',
  trainable_position_size: 'learnedPositions',
  num_experts: 'moe.experts',
  num_experts_per_tok: 'moe.activeExperts',
  base_moe_mlp_dim: 'moe.dFfExpert',
  shared_experts: 'moe.sharedExperts',
  first_num_dense_layers: 'moe.denseLayers',
  interleave_moe_layer_step: 'moe.every',
  sliding_window_size: 'attention.window',
  chunk_attn_window_size: 'attention.window',
  q_lora_rank: 'attention.mla.queryRank',
  kv_lora_rank: 'attention.mla.keyValueRank',
  qk_nope_head_dim: 'attention.mla.nopeHeadDim',
  qk_rope_head_dim: 'attention.mla.ropeHeadDim',
  v_head_dim: 'attention.mla.valueHeadDim',
  indexer_topk: 'attention.index.positions',
  indexer_n_heads: 'attention.index.heads',
  indexer_head_dim: 'attention.index.headDim',
}

/** Blocks of which each holds two layers, by how the models that have them are named. */
const doubled = /^gemma2-/

/** Null where the file names no model, or says nothing beside its name. */
export function besideNameIn(keys: Keys, name: string | null, isCommand: boolean): BesideName | null {
  if (name === null) return null
  const numbers = Object.entries(places)
    .map(([option, at]) => ({ option, at: at.split('.'), value: keys.number(option, 0) }))
    .filter(({ option, value }) => value > 0 && keys.value(option) !== undefined)
    .map((said) => (said.option === 'base_num_decoder_layers' && doubled.test(name) ? twice(said) : said))
  const activations = keys.value('mlp_activations')
  const tied = keys.value('logits_via_embedding')
  const flags: readonly SaidDimension[] = [
    { option: 'mlp_activations', at: ['gatedMlp'], value: isGated(activations) },
    { option: 'logits_via_embedding', at: ['tiedEmbeddings'], value: keys.is('logits_via_embedding') },
  ].filter((_, index) => [activations, tied][index] !== undefined)
  const dimensions = [...numbers, ...flags]
  if (dimensions.length === 0) return null
  const overrides = keys.is('override_model_config')
  return { dimensions, ...(isCommand ? (overrides ? taken : refused) : overruled) }
}

/** Whether an MLP with these activations has a gate. */
export function isGated(activations: unknown): boolean {
  return activations === undefined || /,/.test(textOf(activations))
}

function twice(said: SaidDimension): SaidDimension {
  return { ...said, value: Number(said.value) * 2 }
}

const taken = {
  taken: true,
  says: 'override_model_config puts in place of what the model has',
  refuses: false,
}
const refused = {
  taken: false,
  says: 'MaxText stops at settings that its config of the model says otherwise, but with override_model_config=true',
  refuses: true,
}
const overruled = {
  taken: false,
  says: "is not taken: MaxText lays its config of the model over a file's keys",
  refuses: false,
}
