/**
 * The placements of a mesh that a written plan may mean: those that an answer (account/placement.ts) would describe as
 * the plan does. Behind switches several rank orders that span the same tiers have one description, and all of them are
 * meant.
 */
import { type Placement, placements } from '../../hardware/network/placement.ts'
import type { PlanSketch } from '../../plan-sketch.ts'
import type { Setting } from '../../problem.ts'
import { type PlanFault, partFaults } from '../../rules/part-rule.ts'
import { agrees, entryRules, isWhole, wholeRule } from '../../rules/placement.ts'
import { axisPlacements } from '../account/placement.ts'

export interface MeantPlacements {
  readonly meant: readonly Placement[]
  /** Why there is none. */
  readonly faults: readonly PlanFault[]
}

export function sketchedPlacements(
  { cluster }: Pick<Setting, 'cluster'>,
  { mesh, placement: wanted }: Pick<PlanSketch, 'mesh' | 'placement'>,
): MeantPlacements {
  const all = placements(cluster.network, mesh)
  if (!wanted) return { meant: all, faults: [] }
  let told = all.map((placement) => ({ placement, lines: axisPlacements(placement, mesh, cluster) }))
  const left = () => told.map(({ lines }) => lines)
  for (const [index, entry] of wanted.entries()) {
    const [first] = partFaults(entryRules, { index, entry, left: left(), network: cluster.network })
    if (first) return { meant: [], faults: [first] }
    told = told.filter(({ lines }) => agrees(entry, lines))
  }
  const faults = partFaults([wholeRule], { wanted, left: left() })
  const whole = told.filter(({ lines }) => isWhole(wanted, lines))
  return { meant: whole.map(({ placement }) => placement), faults }
}
