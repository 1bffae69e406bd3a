/**
 * Values of the options that are read, where Megatron-LM's parser has a list of them, or what reads the option asserts one: it refuses all
 * others (listed-values.ts). Those of options on which no plan depends may be a fork's own. Source: --recompute-modules by transformer_config.py,
 * --cp-comm-type by Transformer Engine's attention, which knows keys that are gathered as all_gather.
 */
import { type ClosedValues, misnamedAmong } from '../../../read/closed-values.ts'
import { isFilledIn, type Options, unset } from '../../../read/options.ts'
import type { Misnamed } from '../../../read/reading.ts'
import { listedValues } from './listed-values.ts'

/** Options of which a plan depends. */
const read = [
  '--recompute-granularity',
  '--recompute-method',
  '--fp8-format',
  '--fp8-recipe',
  '--fp4-format',
  '--fp4-recipe',
  '--data-parallel-sharding-strategy',
  '--optimizer',
  '--exp-avg-dtype',
  '--exp-avg-sq-dtype',
  '--main-grads-dtype',
  '--main-params-dtype',
  '--megatron-fsdp-main-grads-dtype',
  '--megatron-fsdp-grad-comm-dtype',
  '--position-embedding-type',
  '--moe-token-dispatcher-type',
  '--moe-flex-dispatcher-backend',
  '--cuda-graph-impl',
] as const

export const choices: ClosedValues = Object.fromEntries(read.map((option) => [option, listedValues[option]]))

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
  return misnamedAmong(
    isOfDeepspeed(options) ? { ...closed, ...ofDeepspeed } : closed,
    (option) => options.given(option) ?? [],
  )
}

/** Values of options on which no plan depends, that the release has none of and somebody may have added. */
export function unlistedIn(options: Options): readonly Misnamed[] {
  return besideIn(options).filter(({ value }) => !isFilledIn(value))
}

/** Of those options each that has a value which only where it runs is filled in, and may then be one of the list. */
export function openIn(options: Options): readonly string[] {
  return besideIn(options)
    .filter(({ value }) => isFilledIn(value))
    .map(({ option, value }) => `${option} is ${value.slice(0, 100)}, ${unset(value)}: no plan depends on it`)
}

function besideIn(options: Options): readonly Misnamed[] {
  if (isOfDeepspeed(options)) return []
  const rest = Object.entries(listedValues).filter(([option]) => !(option in closed))
  return misnamedAmong(Object.fromEntries(rest), (option) => options.given(option)?.slice(0, 1) ?? [])
}

function isOfDeepspeed(options: Options): boolean {
  return options.given('--deepspeed') !== null || options.given('--zero-stage') !== null
}

/** Options of a list that have no value of it. */
export function unsaidIn(options: Options): readonly string[] {
  return Object.keys(closed)
    .filter((option) => options.given(option)?.length === 0)
    .map((option) => `${option} has no value`)
}
