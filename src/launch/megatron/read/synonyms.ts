/**
 * Other names of Megatron-LM's options, of older releases and of Megatron-DeepSpeed (whose sequence parallelism is the exchange of heads):
 * for each, what we write in its place, before its own values. Source: NVIDIA/Megatron-LM c1e0689d92 (2021), megatron/arguments.py, and
 * core_v0.19.0, megatron/training/arguments.py (validate_args); deepspeedai/Megatron-DeepSpeed, megatron/arguments.py.
 */
export const megatronSynonyms: Readonly<Record<string, string>> = {
  '--use-custom-fsdp': '--use-megatron-fsdp',
  '--use-torch-fsdp2': '--use-megatron-fsdp',
  '--fp8': '--fp8-format',
  '--encoder-seq-length': '--seq-length',
  '--recompute-activations': '--recompute-granularity selective',
  '--model-parallel-size': '--tensor-model-parallel-size',
  '--batch-size': '--micro-batch-size',
  '--num-key-value-heads': '--group-query-attention --num-query-groups',
  '--ds-sequence-parallel-size': '--cp-comm-type a2a --context-parallel-size',
  '--checkpoint-activations': '--recompute-granularity full',
  '--activations-checkpoint-method': '--recompute-granularity full --recompute-method',
  '--activations-checkpoint-num-layers': '--recompute-num-layers',
}

/** Options that count in another unit what one of ours says; they are read by themselves. */
export const megatronUnits: Readonly<Record<string, string>> = {
  '--num-layers-per-virtual-pipeline-stage': '--num-virtual-stages-per-pipeline-rank',
}
