/**
 * Options with which a command of Megatron-LM trains for 20 steps on synthetic data, without evaluation and with even
 * routing, as plans assume. What a real run learns from is not part of a plan.
 */
import type { Run } from '../run/run.ts'

export function madeUpData({ model }: Pick<Run, 'model'>): readonly (string | number)[] {
  return [
    ...['--mock-data', '--tokenizer-type', 'NullTokenizer', '--train-iters', 20, '--eval-iters', 0],
    ...['--lr', '1e-5', ...(model.experts ? ['--moe-router-force-load-balancing'] : [])],
  ]
}
