/**
 * Other names of Megatron-LM's options, of older releases and of Megatron-DeepSpeed (whose sequence parallelism is the exchange of heads):
 * for each, what we write in its place, before its own values; a name that stands for one option alone is in the row of that. Source:
 * NVIDIA/Megatron-LM c1e0689d92 (2021), megatron/arguments.py, and core_v0.19.0, megatron/training/arguments.py (validate_args);
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
}

const { perChunk, virtualStages } = megatronSettings.cuts.rows

/** Options that count in another unit what one of ours says; they are read by themselves. */
export const megatronUnits: Readonly<Record<string, string>> = { [perChunk.option]: virtualStages.option }
