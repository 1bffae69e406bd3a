/** The global batch of a torchtitan config, and its microbatches. Source: as read.ts. */
import type { Keys } from '../../read/fields.ts'
import type { Following } from '../../read/reading.ts'

export function batchOf(keys: Keys, replicas: number, pipeline: number) {
  const local = keys.whole('training.local_batch_size', 8)
  const asked = keys.whole('training.global_batch_size', -1)
  const cut = keys.whole('parallelism.pipeline_parallel_microbatch_size', 1)
  const microbatch = pipeline > 1 ? cut : local
  const batchSequences = asked < 0 ? local * replicas : asked
  const microbatches = batchSequences / (microbatch * replicas)
  const whole = Number.isInteger(microbatches) && microbatches > 0
  const fault = `a global batch of ${batchSequences} is not divided by microbatches of ${microbatch} on ${replicas} ranks`
  return {
    batchSequences,
    microbatches: whole ? microbatches : null,
    faults: whole ? [] : [fault],
    follows: asked < 0 ? following : [],
  }
}

const degrees = [
  'data_parallel_replicate',
  'data_parallel_shard',
  'tensor_parallel',
  'context_parallel',
  'pipeline_parallel',
].map((axis) => `parallelism.${axis}_degree`)

/** What makes the global batch where it is not said: the local batch and the ranks that have one each, as the release names them and as main does. */
const following: readonly Following[] = [
  {
    setting: 'training.global_batch_size',
    from: ['training.local_batch_size', ...degrees],
  },
  {
    setting: '--training.num_tokens_per_train_step',
    from: [
      '--training.num_tokens_per_microbatch_per_dp_rank',
      '--parallelism.num_pp_microbatches',
      ...degrees.map((name) => `--${name}`),
      ...['--nnodes', '--nproc-per-node'],
    ],
  },
]
