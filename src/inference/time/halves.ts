/** Whether a pass may run in two halves that take turns (turns.ts). */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { halvedPass, type Pass } from '../pass/pass.ts'

/** The pass as it is and, where there is something to hide, also in halves. */
export function waysOf(assumptions: Assumptions, mesh: Mesh, pass: Pass): readonly [whole: Pass, ...Pass[]] {
  return mayHalve(assumptions, mesh) ? [pass, halvedPass(pass)] : [pass]
}

/** Tokens have to travel to experts, and there are no stages that work beside one another anyway. */
export function mayHalve({ twoBatchOverlap }: Assumptions, { expert, pipeline }: Mesh): boolean {
  return twoBatchOverlap && expert > 1 && pipeline === 1
}
