/**
 * Values of the options that are read, where Megatron-LM's parser has a list of them, or what reads the option asserts one: it refuses all
 * others. Source: as flags.ts (core_v0.19.0), as fixtures/options/megatron.json has them; --recompute-modules by transformer_config.py,
 * --cp-comm-type by Transformer Engine's attention, which knows keys that are gathered as all_gather.
 */
import { type ClosedValues, misnamedAmong } from '../../../read/closed-values.ts'
import type { Options } from '../../../read/options.ts'
import type { Misnamed } from '../../../read/reading.ts'

const moments = ['fp32', 'fp16', 'bf16', 'fp8']
const narrowed = ['fp32', 'fp16', 'bf16', 'auto']

export const choices: ClosedValues = {
  '--recompute-granularity': ['full', 'selective'],
  '--recompute-method': ['uniform', 'block'],
  '--fp8-format': ['e4m3', 'hybrid'],
  '--fp8-recipe': ['tensorwise', 'delayed', 'mxfp8', 'blockwise', 'custom'],
  '--fp4-format': ['e2m1'],
  '--fp4-recipe': ['nvfp4', 'custom'],
  '--data-parallel-sharding-strategy': ['no_shard', 'optim', 'optim_grads', 'optim_grads_params'],
  '--optimizer': ['adam', 'sgd', 'muon', 'dist_muon', 'lion', 'soap', 'adaptive_muon'],
  '--exp-avg-dtype': moments,
  '--exp-avg-sq-dtype': moments,
  '--main-grads-dtype': ['fp32', 'bf16'],
  '--main-params-dtype': ['fp32', 'fp16'],
  '--megatron-fsdp-main-grads-dtype': narrowed,
  '--megatron-fsdp-grad-comm-dtype': narrowed,
  '--position-embedding-type': ['learned_absolute', 'rope', 'yarn', 'mrope', 'relative', 'none'],
  '--moe-token-dispatcher-type': ['allgather', 'alltoall', 'flex'],
  '--moe-flex-dispatcher-backend': ['deepep', 'hybridep', 'ncclep'],
  '--cuda-graph-impl': ['none', 'local', 'transformer_engine', 'full_iteration'],
}

export const assertedChoices: ClosedValues = {
  '--recompute-modules': [
    ...['core_attn', 'moe_act', 'layernorm', 'mla_up_proj', 'mlp', 'moe', 'shared_experts'],
    ...['gdn_norm_out', 'gdp_in_proj', 'gdp_qkv', 'mhc'],
  ],
  '--cp-comm-type': ['p2p', 'all_gather', 'allgather', 'a2a', 'a2a+p2p'],
}

const closed: ClosedValues = { ...choices, ...assertedChoices }

/**
 * Megatron-DeepSpeed's, by other names: megatron/enums.py of bigscience-workshop's (rotary, absolute, alibi) and arguments.py of Microsoft's;
 * assertions of Megatron-LM are not theirs.
 */
const ofDeepspeed: ClosedValues = {
  '--position-embedding-type': ['absolute', 'rotary', 'alibi', 'learned_absolute', 'rope'],
}

/** Values that there are none of. */
export function misnamedIn(options: Options): readonly Misnamed[] {
  const isFork = options.given('--deepspeed') !== null || options.given('--zero-stage') !== null
  return misnamedAmong(
    isFork ? { ...closed, ...ofDeepspeed } : closed,
    (option) => options.given(option) ?? [],
  )
}

/** Options of a list that have no value of it. */
export function unsaidIn(options: Options): readonly string[] {
  return Object.keys(closed)
    .filter((option) => options.given(option)?.length === 0)
    .map((option) => `${option} has no value`)
}
