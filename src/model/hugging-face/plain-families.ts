/** Models with a plain MLP of two matrices: GPT-2 and its like, Falcon, BLOOM, OPT, GPT-NeoX, Phi, StarCoder. */
import { limits } from '../limits.ts'
import { llama } from './dense-families.ts'
import { always, type Cell, type Family, flag, needed, optional, whereAbsent } from './family.ts'
import type { Fields } from './fields.ts'
import { windowInAll } from './windows.ts'

/** The MLP is four times as wide as the stream where the config gives no width of its own. */
function widthOrFourTimes(name: string, stream: string): Cell<number> {
  return (fields) =>
    fields.number([name], limits.mlpWidth) ?? 4 * fields.needed([stream, 'hidden_size'], limits.width)
}

const gpt2: Family = {
  ...llama,
  source: 'transformers, models/gpt2/configuration_gpt2.py',
  layers: needed('layers', 'n_layer', 'num_hidden_layers'),
  dModel: needed('width', 'n_embd', 'hidden_size'),
  dFf: widthOrFourTimes('n_inner', 'n_embd'),
  heads: needed('heads', 'n_head', 'num_attention_heads'),
  kvHeads: always(undefined),
  headDim: always(undefined),
  gatedMlp: always(false),
  tiedEmbeddings: flag('tie_word_embeddings', true),
  learnedPositions: needed('positions', 'n_positions', 'max_position_embeddings'),
  maxSequenceLength: optional('positions', 'n_positions', 'max_position_embeddings'),
}

const gptBigCode: Family = {
  ...gpt2,
  source: 'transformers, models/gpt_bigcode/configuration_gpt_bigcode.py',
  kvHeads: (fields) => ((fields.flag('multi_query') ?? true) ? 1 : undefined),
}

const gptJ: Family = {
  ...gpt2,
  source: 'transformers, models/gptj/configuration_gptj.py',
  tiedEmbeddings: flag('tie_word_embeddings', false),
  learnedPositions: always(0),
  parallelBlocks: always(true),
}

const gptNeoX: Family = {
  ...llama,
  source: 'transformers, models/gpt_neox/configuration_gpt_neox.py',
  kvHeads: always(undefined),
  headDim: always(undefined),
  gatedMlp: always(false),
  parallelBlocks: flag('use_parallel_residual', true),
}

/** Only OPT 350M has embeddings narrower than its stream. */
function streamWidth(fields: Fields): number {
  const width = fields.needed(['hidden_size'], limits.width)
  const embedded = fields.number(['word_embed_proj_dim'], limits.width) ?? width
  if (embedded !== width)
    fields.note(`word_embed_proj_dim: embeddings are taken as wide as the stream, ${width}`)
  return width
}

/** Two more rows of learned positions stand before that of the first token. */
const opt: Family = {
  ...gptNeoX,
  source: 'transformers, models/opt/configuration_opt.py',
  dModel: streamWidth,
  dFf: needed('mlpWidth', 'ffn_dim'),
  tiedEmbeddings: flag('tie_word_embeddings', true),
  learnedPositions: (fields) => fields.needed(['max_position_embeddings'], limits.positions) + 2,
  parallelBlocks: always(false),
}

const bloom: Family = {
  ...gpt2,
  source: 'transformers, models/bloom/configuration_bloom.py',
  dModel: needed('width', 'hidden_size', 'n_embed'),
  dFf: (fields) => 4 * fields.needed(['hidden_size', 'n_embed'], limits.width),
  learnedPositions: always(0),
  maxSequenceLength: optional('positions', 'seq_length'),
}

/** The first generation has one kv-head unless multi_query is off; the second has groups. */
function falconHeads(fields: Fields): number | undefined {
  const given = fields.number(['num_kv_heads', 'n_head_kv'], limits.heads)
  const multi = fields.flag('multi_query') ?? true
  const grouped = fields.flag('new_decoder_architecture') ?? false
  return multi && !grouped ? 1 : given
}

const falcon: Family = {
  ...bloom,
  source: 'transformers, models/falcon/configuration_falcon.py',
  layers: needed('layers', 'num_hidden_layers', 'n_layer'),
  heads: needed('heads', 'num_attention_heads', 'n_head'),
  dFf: widthOrFourTimes('ffn_hidden_size', 'hidden_size'),
  kvHeads: falconHeads,
  parallelBlocks: (fields) =>
    (fields.flag('parallel_attn') ?? true) || (fields.flag('new_decoder_architecture') ?? false),
  maxSequenceLength: optional('positions', 'max_position_embeddings'),
}

/** Falcon 40B's own code uses this model_type, and its groups of heads need no flag. */
const refinedWeb: Family = {
  ...falcon,
  source: 'configuration_RW.py of tiiuae/falcon-40b',
  layers: needed('layers', 'n_layer', 'num_hidden_layers'),
  heads: needed('heads', 'n_head', 'num_attention_heads'),
  kvHeads: optional('heads', 'num_kv_heads', 'n_head_kv'),
}

const phi: Family = {
  ...llama,
  source: 'transformers, models/phi/configuration_phi.py',
  gatedMlp: always(false),
  parallelBlocks: always(true),
}

const starcoder2: Family = {
  ...llama,
  source: 'transformers, models/starcoder2/configuration_starcoder2.py',
  kvHeads: whereAbsent('heads', 'num_key_value_heads', 2),
  gatedMlp: always(false),
  tiedEmbeddings: flag('tie_word_embeddings', true),
  windows: windowInAll('sliding_window'),
}

export const plainFamilies: Readonly<Record<string, Family>> = {
  gpt2,
  gpt_bigcode: gptBigCode,
  gptj: gptJ,
  gpt_neox: gptNeoX,
  opt,
  bloom,
  falcon,
  RefinedWeb: refinedWeb,
  RefinedWebModel: falcon,
  phi,
  starcoder2,
}
