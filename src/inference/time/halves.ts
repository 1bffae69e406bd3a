/** Whether a pass may run in two halves that take turns (turns.ts). */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { halvedPass, type Pass } from '../pass/pass.ts'

/** The pass as it is and, where there is something to hide, also in halves. */
export function waysOf(
  { twoBatchOverlap }: Assumptions,
  mesh: Mesh,
  pass: Pass,
): readonly [whole: Pass, ...Pass[]] {
  const hides = twoBatchOverlap && mesh.expert > 1 && mesh.pipeline === 1
  return hides ? [pass, halvedPass(pass)] : [pass]
}
