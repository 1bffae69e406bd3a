/**
 * Rematerialisation policies as data: what a layer keeps between its forward and backward pass. An array that is not kept but
 * is an operand of a backward einsum is computed again, by the forward einsums that lead to it (`recomputed`).
 *
 * `stream` counts residual-stream tensors of width D: the layer's input, always kept, and the sum after attention.
 * Norms and activation functions are recomputed from what they read, at no FLOPs. Attention is the fused kernel: no
 * score matrix is ever kept. Names are MaxText's where it has one; `selective` is Megatron's.
 *
 * `book` is what the book counts for the same policy, in tensors of width D and F (chapters 4 and 5): 20 tensors
 * without rematerialisation, 7 for the big matmuls, 1 per block, D + 2F for the three MLP outputs.
 *
 * `host` says which of the kept arrays are in the host's memory: they leave over PCIe in the forward pass and come back in the
 * backward pass, beside the other work of both, and a layer's worth is on the chip ahead of its use. The search tries such a policy only
 * on all layers, as MaxText has it, never in a mix: the best mix would be where the link and recomputation balance, not where memory is
 * just enough.
 * `mla_up_proj` and the one with norms and activation functions of experts are Megatron's `--recompute-modules` of these names, as
 * Megatron-Bridge's recipes for DeepSeek-V3 have them (@067f987df0, perf_recipes/deepseek: `common.py` has all three).
 * `mlp`, `moe_act` and the latter with norms are modules of the same option. A dense MLP is checkpointed with its norm, which is part of its
 * first linear layer, and runs again whole; its input is the sum after attention. The norm before experts is a module of its own, the one
 * before attention without low ranks is part of the projection to heads, and stays (Megatron-LM @d98e8a64dd, transformer_layer.py,
 * gpt_layer_specs.py). Megatron-Bridge's recipes for gpt-oss have `layernorm moe_act`, for DeepSeek-V3 on GB300 `moe_act`.
 * `selective_op` is torchtitan's selective checkpointing by operation, of heads with keys of their own and of latent attention with a low rank of queries:
 * attention's result, what was sent to experts and back, and the results of the first, third, fifth matmul of a layer, in the order in
 * which it runs them, whether the backward pass reads them or not (w2's is kept). Grouped matmuls of experts are not on its list. Without tensor parallelism: results that are yet to be reduced
 * would be kept whole (pytorch/torchtitan v0.2.2, distributed/activation_checkpoint.py, `_apply_op_sac`; models/{llama3,qwen3,deepseek_v3}). With DeepEP, whose kernels sum what the experts of a token made of it, that sum is
 * kept in place of each (`deepep.combine` is on the list). All are for written plans: a search tries them where it is told to.
 * Of a recurrence, what was projected, what its scan reads and its result are kept where queries, keys and values are, as no module of Megatron's
 * option runs a scan again; the one that makes its norm again (`gdn_norm_out`) is not offered.
 * Sources: formulas of section 4 and 11; Korthikanti et al. 2022 (arXiv 2205.05198); MaxText, layers/decoders.py:
 * `minimal_offloaded`, `qkv_proj_offloaded`, and `custom` with `decoder_layer_input: offload`, here `full_offloaded`, and with
 * the projections to heads too, and the one from them: what its recipes for Llama 3.1 on v6e keep there
 * (AI-Hypercomputer/tpu-recipes, training/trillium).
 */
import type { PolicyRow } from './policy-row.ts'

const index = ['IndexQ', 'IndexK']

/**
 * A layer keeps those of these arrays that it has: low ranks in latent attention, those of an index, what is pooled, shared experts beside routed ones. Where heads are
 * sharded while attention runs (ulysses), the backward kernel reads its own result as well as the copy that was sent back.
 */
const recurrent = ['Low', 'Channels', 'Inputs', 'Scanned']
const pooled = ['Pools', 'Heavy']
const queries = ['Q', 'K', 'V', 'QLow', 'KVLow', 'HeadGate', ...index, ...pooled, ...recurrent]
const results = ['Result', 'Att', 'OutLow', 'Weighed', 'Mixed']
const hidden = ['Gate', 'Up', 'SharedGate', 'SharedUp']

/** Copies of tokens where their experts are and, of experts of a width of their own, the sum that is projected back. */
const ofExperts = ['Dispatched', 'Summed']

/** Copies of tokens where their experts are, and what comes back of each. */
const sentToExperts = ['Dispatched', 'Combined']

/** The same where kernels sum what comes back of each: copies and one sum for each token. */
const sentAndSummed = ['Dispatched', 'Out']

/** Of latent attention, what projections up, and norms, make again at little cost. */
const lowRanks = ['QLow', 'KVLow', 'Result', 'Att', 'OutLow', ...pooled, ...recurrent, 'Mixed']

/** Only the layer's input is kept: without the host, no other policy keeps less on the chip. */
export const inputAlone = {
  name: 'full',
  attention: [],
  mlp: [],
  stream: 1,
  book: { stream: 1, inner: 0 },
} as const satisfies PolicyRow

/** The first policy keeps everything: no other does less work. */
export const policies = [
  {
    name: 'none',
    attention: ['In', ...queries, ...results],
    mlp: ['In', ...hidden, 'Tmp', 'SharedTmp', ...ofExperts],
    stream: 2,
    book: { stream: 20, inner: 0 },
  },
  {
    name: 'selective',
    attention: ['In', ...queries, 'Weighed', 'Mixed'],
    mlp: ['In', ...hidden, 'Tmp', 'SharedTmp', ...ofExperts],
    stream: 2,
  },
  {
    name: 'minimal',
    attention: queries,
    mlp: hidden,
    stream: 2,
    book: { stream: 7, inner: 0 },
  },
  {
    name: 'save_dot_with_context_except_mlp',
    attention: [...queries, 'Result', 'Att'],
    mlp: [],
    stream: 2,
  },
  { name: 'save_dot_except_mlp', attention: queries, mlp: [], stream: 2 },
  { name: 'save_mlp_proj', attention: [], mlp: hidden, stream: 2, book: { stream: 1, inner: 2 } },
  { name: 'save_qkv_proj', attention: queries, mlp: [], stream: 1 },
  { name: 'save_out_proj', attention: [], mlp: [], stream: 2 },
  {
    name: 'mla_up_proj',
    attention: ['In', ...lowRanks],
    mlp: ['In', ...hidden, 'Tmp', 'SharedTmp', ...ofExperts],
    stream: 2,
    models: 'latent',
  },
  {
    name: 'layernorm+mla_up_proj+moe_act',
    attention: lowRanks,
    mlp: [...hidden, 'SharedTmp', ...ofExperts],
    stream: 2,
    models: 'latent',
  },
  {
    name: 'mlp',
    attention: ['In', ...queries, ...results],
    mlp: [],
    stream: 2,
    models: 'dense',
    whole: ['mlp'],
  },
  {
    name: 'moe_act',
    attention: ['In', ...queries, ...results],
    mlp: ['In', ...hidden, 'SharedTmp', ...ofExperts],
    stream: 2,
    models: 'experts',
  },
  {
    name: 'layernorm+moe_act',
    attention: ['In', ...queries, ...results],
    mlp: [...hidden, 'SharedTmp', ...ofExperts],
    stream: 2,
    models: 'experts',
  },
  {
    name: 'selective_op',
    attention: ['Q', 'V', 'Result', 'Att'],
    mlp: ['Gate', 'Out'],
    experts: ['SharedGate', ...sentToExperts],
    stream: 1,
    written: true,
  },
  {
    name: 'selective_op_deepep',
    attention: ['Q', 'V', 'Result', 'Att'],
    mlp: ['Gate', 'Out'],
    experts: ['SharedGate', ...sentAndSummed],
    stream: 1,
    models: 'experts',
    written: true,
  },
  {
    name: 'selective_op_latent',
    attention: ['QLow', 'KVLow', 'Result', 'Att'],
    mlp: ['Up'],
    experts: ['SharedUp', ...sentToExperts],
    stream: 2,
    models: 'latent',
    written: true,
  },
  {
    name: 'selective_op_latent_deepep',
    attention: ['QLow', 'KVLow', 'Result', 'Att'],
    mlp: ['Up'],
    experts: ['SharedUp', ...sentAndSummed],
    stream: 2,
    models: 'latent',
    written: true,
  },
  inputAlone,
  {
    name: 'minimal_offloaded',
    attention: queries,
    mlp: hidden,
    stream: 2,
    host: { arrays: [...queries, ...hidden], input: false, sum: true },
  },
  {
    name: 'qkv_proj_offloaded',
    attention: queries,
    mlp: [],
    stream: 1,
    host: { arrays: queries, input: false, sum: false },
  },
  {
    name: 'qkv_input_offloaded',
    attention: queries,
    mlp: [],
    stream: 1,
    host: { arrays: queries, input: true, sum: false },
  },
  {
    name: 'qkv_out_input_offloaded',
    attention: queries,
    mlp: [],
    stream: 2,
    host: { arrays: queries, input: true, sum: true },
  },
  {
    name: 'full_offloaded',
    attention: [],
    mlp: [],
    stream: 1,
    host: { arrays: [], input: true, sum: false },
  },
] as const satisfies readonly PolicyRow[]

export type PolicyName = (typeof policies)[number]['name']
