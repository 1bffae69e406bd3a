/**
 * Options and keys of launch files that say a field of a request, whatever framework they are of: by these the place of a field in a file is
 * found. Hyphens and underscores are one, and leading hyphens are left out where a key has the same name. Sources: those of each framework's
 * reader (megatron/flags.ts, torchtitan, maxtext, vllm, sglang, tensorrt-llm, deepspeed, accelerate).
 */

/** From the longest pointer to the shortest; a field of a field stands before it. */
const rows: readonly { readonly pointer: string; readonly options: string }[] = [
  {
    pointer: '/plan/mesh/tensor',
    options:
      'tensor-model-parallel-size model-parallel-size tensor-parallel-size tp-size --tp -tp tensor-parallel-degree ici-tensor-parallelism dcn-tensor-parallelism autotp-size',
  },
  {
    pointer: '/plan/mesh/pipeline',
    options:
      'pipeline-model-parallel-size pipeline-parallel-size pp-size --pp -pp pipeline-parallel-degree ici-pipeline-parallelism dcn-pipeline-parallelism',
  },
  {
    pointer: '/plan/mesh/context',
    options:
      'context-parallel-size cp-size context-parallel-degree ici-context-parallelism dcn-context-parallelism decode-context-parallel-size',
  },
  {
    pointer: '/plan/mesh/expert',
    options:
      'expert-model-parallel-size expert-parallel-size ep-size --ep expert-parallel-degree moe-expert-parallel-size ici-expert-parallelism dcn-expert-parallelism enable-expert-parallel',
  },
  {
    pointer: '/plan/mesh/fsdp',
    options:
      'use-megatron-fsdp data-parallel-shard-degree ici-fsdp-parallelism dcn-fsdp-parallelism fsdp-sharding-strategy zero-optimization',
  },
  {
    pointer: '/plan/mesh/data',
    options:
      'data-parallel-size dp-size --dp -dp data-parallel-replicate-degree ici-data-parallelism dcn-data-parallelism',
  },
  {
    pointer: '/plan/microbatches',
    options:
      'micro-batch-size pipeline-parallel-microbatch-size num-pipeline-microbatches local-batch-size train-micro-batch-size-per-gpu gradient-accumulation-steps global-batch-size',
  },
  {
    pointer: '/plan/schedule',
    options:
      'num-layers-per-virtual-pipeline-stage num-virtual-stages-per-pipeline-rank pipeline-parallel-schedule num-pipeline-repeats',
  },
  {
    pointer: '/plan/rematerialization',
    options:
      'recompute-granularity recompute-activations recompute-method recompute-num-layers remat-policy activation-checkpointing',
  },
  { pointer: '/plan/zeroStage', options: 'use-distributed-optimizer zero-stage zero-optimization' },
  { pointer: '/plan/stepTokens', options: 'max-num-batched-tokens chunked-prefill-size max-num-tokens' },
  {
    pointer: '/workload/sequenceLength',
    options: 'seq-length encoder-seq-length seq-len max-target-length',
  },
  {
    pointer: '/workload/batchSequences',
    options:
      'global-batch-size per-device-batch-size train-batch-size local-batch-size max-num-seqs max-running-requests max-batch-size',
  },
  {
    pointer: '/workload/batchTokens',
    options: 'global-batch-size per-device-batch-size train-batch-size local-batch-size',
  },
  { pointer: '/workload/contextLength', options: 'max-model-len context-length max-seq-len' },
  { pointer: '/workload/promptLength', options: 'max-model-len context-length max-seq-len' },
  { pointer: '/workload/optimizer', options: '--optimizer optimizer-type opt-type' },
  {
    pointer: '/memoryBudget',
    options:
      'gpu-memory-utilization mem-fraction-static kv-cache-memory-bytes kv-cache-free-gpu-memory-fraction free-gpu-memory-fraction',
  },
  {
    pointer: '/hardware/chips',
    options:
      'nnodes nproc-per-node num-nodes num-gpus num-processes num-machines --nodes --gpus-per-node --gres compile-topology',
  },
  { pointer: '/precision/cache', options: 'kv-cache-dtype' },
  { pointer: '/precision', options: 'fp8-format --quantization --bf16 --fp16 --dtype mixed-precision' },
  { pointer: '/model', options: '--model --model-path model-name num-layers vocab-size' },
]

/** The options of the field at a pointer, or of what is inside of it, or of what it is inside of. */
export function optionsOfField(pointer: string): readonly string[] {
  const within = rows.filter((row) => covers(pointer, row.pointer) || covers(row.pointer, pointer))
  return within.flatMap(({ options }) => options.split(' '))
}

function covers(outer: string, inner: string): boolean {
  return inner === outer || (outer !== '' && inner.startsWith(`${outer}/`))
}
