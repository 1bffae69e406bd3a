/**
 * The global batch of a torchtitan config, and its microbatches. A step has as many passes as local batches: outside of a pipeline each is one
 * microbatch; a pipeline cuts each into its microbatches, and fills and drains once for each. Sources: as read.ts; train.py (the asserts on
 * batches, `train_step`), distributed/pipeline_parallel.py (`build_pipeline_schedule`).
 */
import { compact } from '../../../compact.ts'
import type { Keys } from '../../read/fields.ts'
import type { Following } from '../../read/reading.ts'

export function batchOf(keys: Keys, replicas: number, pipeline: number) {
  const local = keys.whole('training.local_batch_size', 8)
  const asked = keys.whole('training.global_batch_size', -1)
  const cut = keys.whole('parallelism.pipeline_parallel_microbatch_size', 1)
  const microbatch = pipeline > 1 ? cut : local
  const batchSequences = asked < 0 ? local * replicas : asked
  const passes = batchSequences / (local * replicas)
  const each = local / microbatch
  const faults = compact(
    !isCount(passes) &&
      `a global batch of ${batchSequences} is not divided by local batches of ${local} on ${replicas} ranks`,
    !isCount(each) && `a local batch of ${local} is not divided by microbatches of ${microbatch}`,
  )
  const accumulates = pipeline > 1 && faults.length === 0 && passes > 1
  return {
    batchSequences,
    microbatches: faults.length > 0 ? null : passes * each,
    faults,
    uncounted: compact(
      accumulates &&
        `a step is ${passes} passes through the pipeline, of ${each} microbatches each, and each pass waits for the pipeline to fill and drain: this has no plan; a local batch of ${local * passes} takes one pass`,
    ),
    follows: asked < 0 ? following : [],
  }
}

function isCount(number: number): boolean {
  return Number.isInteger(number) && number > 0
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
