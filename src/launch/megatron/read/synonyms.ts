/**
 * Other names of Megatron-LM's options, of older releases and of Megatron-DeepSpeed (whose sequence parallelism is the exchange of heads):
 * for each, what we write in its place, before its own values; a name that stands for one option alone is in the row of that. Source:
 * NVIDIA/Megatron-LM c1e0689d92 (2021) and e6e6d4c79d (2023), megatron/arguments.py, and core_v0.19.0, megatron/training/arguments.py
 * (validate_args) and megatron/core/transformer/transformer_config.py (lines 1589 to 1602, of DeepEP);
 * deepspeedai/Megatron-DeepSpeed, megatron/arguments.py.
 */
import { spellings } from '../../settings/settings.ts'
import { megatronSettings } from '../settings.ts'

export const megatronSynonyms: Readonly<Record<string, string>> = {
  ...spellings(megatronSettings),
  '--recompute-activations': '--recompute-granularity selective',
  '--num-key-value-heads': '--group-query-attention --num-query-groups',
  '--ds-sequence-parallel-size': '--cp-comm-type a2a --context-parallel-size',
  '--checkpoint-activations': '--recompute-granularity full',
  '--activations-checkpoint-method': '--recompute-granularity full --recompute-method',
  '--fp8-hybrid': '--fp8-format hybrid',
  '--fp8-e4m3': '--fp8-format e4m3',
  '--moe-enable-deepep': '--moe-flex-dispatcher-backend deepep',
}

const { perChunk, virtualStages } = megatronSettings.cuts.rows

/** Options that count in another unit what one of ours says; they are read by themselves. */
export const megatronUnits: Readonly<Record<string, string>> = { [perChunk.option]: virtualStages.option }
