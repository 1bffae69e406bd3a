/**
 * Of plans that are tied with the first, the one that who launches it would take: what somebody has run, is simplest and has most room. A table
 * of what that is, the weightiest first; the next decides where all before are equal, and at last the time.
 */
import type { Chip } from '../../hardware/chip.ts'
import { type Axis, axes, type Mesh, matrixAxes, restAxes } from '../../sharding/axis.ts'
import { counted } from '../explain/figures.ts'
import { isPublished, type Recipe } from './recipes.ts'
import type { AgainstFirst } from './ties.ts'

export interface Preferred {
  /** The place of the plan in the list. */
  readonly rank: number
  readonly id: string
  /** How many are tied, the first among them. */
  readonly among: number
  /** Why this one, against the first; none where it is the first. */
  readonly reasons: readonly string[]
}

/** What a list says of a plan. */
export interface Listed {
  readonly rank: number
  readonly id: string
  readonly mesh: Mesh
  readonly placement: readonly Lying[]
  readonly headroom: { readonly memory: number }
  readonly againstFirst: AgainstFirst | null
}

interface Lying {
  readonly axis: Axis
  readonly on: string
  readonly physical: readonly number[]
}

/** What a list does not say: the machine, what was published of the model on it, and how finely anybody cut sequences of such a length. */
export interface Custom {
  readonly chip: Chip
  readonly recipes: readonly Recipe[]
  /** The largest context axis that is no finer than what was published. */
  readonly mostContext: number
}

interface Preference {
  /** The more, the better. */
  readonly of: (plan: Listed, custom: Custom) => number
  readonly says: (own: number, other: number) => string
}

const preferences: readonly Preference[] = [
  {
    of: ({ mesh }, { recipes }) => (isPublished(recipes, mesh) ? 1 : 0),
    says: () =>
      'a published run of this model on such chips cuts it up alike (recipes), which none does like the first',
  },
  {
    of: (plan, custom) => -uncustomary(plan, custom),
    says: () =>
      'nearer to what has been published: tensor parallelism within a node, pieces of a sequence no shorter than any run has had',
  },
  {
    of: ({ mesh }) => -axes.filter((axis) => mesh[axis] > 1).length,
    says: (own, other) =>
      `${-own} ${own === -1 ? 'axis' : 'axes'} of the mesh in use, ${-other} of the first's`,
  },
  {
    of: (plan, { chip }) => -crossing(plan, chip).length,
    says: (own, other) =>
      `${-own} of its axes that cut the model up ${-own === 1 ? 'leaves' : 'leave'} the node or slice, ${-other} of the first's`,
  },
  {
    // That there is some matters; how much does not.
    of: ({ headroom }) => (headroom.memory >= roomy ? 1 : 0),
    says: () => 'a tenth of the memory budget is free, which is not so of the first',
  },
  {
    of: ({ mesh }) => -together(mesh),
    says: (own, other) =>
      `a sequence goes through ${counted(-own, 'chip')}, through ${-other} of the first's`,
  },
]

const roomy = 1.1

/** Null of a list of one, and where nothing is known of ties. */
export function preferredOf(plans: readonly Listed[], custom: Custom): Preferred | null {
  const tied = plans.filter(({ againstFirst }) => againstFirst?.tied)
  const [first] = tied
  if (!first || plans.length < 2) return null
  const best = tied.reduce((kept, plan) => (decisive(plan, kept, custom) > 0 ? plan : kept))
  const reasons = preferences.flatMap(({ of, says }) => {
    const [own, other] = [of(best, custom), of(first, custom)]
    return own > other ? [says(own, other)] : []
  })
  return { rank: best.rank, id: best.id, among: tied.length, reasons }
}

/** Above 0 where the one is preferred: by the first preference that tells them apart. */
function decisive(one: Listed, other: Listed, custom: Custom): number {
  for (const { of } of preferences) {
    const apart = of(one, custom) - of(other, custom)
    if (apart !== 0) return apart
  }
  return 0
}

/**
 * How far a plan goes beyond what anybody has published that it pays: tensor axes across nodes, and pieces of a sequence that are
 * shorter than any run's, counted in halvings.
 */
function uncustomary(plan: Listed, { chip, mostContext }: Custom): number {
  const across = crossing(plan, chip).filter((axis) => matrixAxes.includes(axis)).length
  return across + Math.max(0, Math.log2(plan.mesh.context / mostContext))
}

/** Axes that cut the model up, not its replicas, and span more than a node or slice. */
function crossing({ placement }: Listed, { system }: Chip): readonly Axis[] {
  return placement
    .filter(({ axis }) => !restAxes.includes(axis))
    .filter(({ on, physical }) => (system.kind === 'torus' ? on === 'dcn' : Math.max(...physical) > 0))
    .map(({ axis }) => axis)
}

/** Chips that one sequence goes through: one of them that fails or lags holds up the others. */
function together(mesh: Mesh): number {
  return axes.reduce((chips, axis) => (restAxes.includes(axis) ? chips : chips * mesh[axis]), 1)
}
