/** Types of weights and arithmetic as a case gives them; everything else in bf16, the optimizer in fp32. */

import type { Precision } from '../../src/problem.ts'
import type { ElementType } from '../../src/recipe/element-types.ts'

export function precisionOf(weights: ElementType = 'bf16', compute: ElementType = 'bf16'): Precision {
  return { weights, compute, kvCache: 'bf16', gradients: 'bf16', optimizer: 'fp32' }
}
