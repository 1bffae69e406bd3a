/**
 * What a command of Megatron-LM trains on, and for how long: made-up data, of which routers are told to choose evenly, as is counted, and which is
 * trained on alone. What a run learns from is no part of a plan.
 */
import type { Run } from '../run/run.ts'

export function madeUpData({ model }: Pick<Run, 'model'>): readonly (string | number)[] {
  return [
    ...['--mock-data', '--tokenizer-type', 'NullTokenizer', '--train-iters', 20, '--eval-iters', 0],
    ...['--lr', '1e-5', ...(model.experts ? ['--moe-router-force-load-balancing'] : [])],
  ]
}
