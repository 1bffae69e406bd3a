/**
 * Options with which a command of Megatron-LM trains for 20 steps on synthetic data, without evaluation and with even
 * routing, as plans assume. What a real run learns from is not part of a plan.
 */

import { compact } from '../../compact.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'

export function madeUpData({ model }: Pick<Run, 'model'>): readonly Word[] {
  return [
    ...['--mock-data', '--tokenizer-type', 'NullTokenizer', '--train-iters', 20, '--eval-iters', 0],
    ...compact('--lr', '1e-5', model.experts && '--moe-router-force-load-balancing'),
  ]
}

/** Says which of these options a real run has to leave out, where their names do not tell. */
export function madeUpNotes({ model }: Pick<Run, 'model'>): readonly string[] {
  return model.experts
    ? [
        '--moe-router-force-load-balancing goes with --mock-data, since random tokens would be routed unevenly: leave out both for data of your own',
      ]
    : []
}
