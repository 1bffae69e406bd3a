/**
 * Of the plans that are tied with the first, the one that a practitioner would take: one that uses what is paid for, has
 * been run before, is simple, and leaves room. The preferences are a table, the most important first; the next one decides if all before
 * are equal, and finally the time.
 */
import type { Chip } from '../../hardware/chip.ts'
import { type Axis, axes, type Mesh, matrixAxes, restAxes } from '../../sharding/axis.ts'
import { counted } from '../explain/figures.ts'
import { isPublished, isPublishedKind, type Recipe } from './recipes.ts'
import type { AgainstFirst } from './ties.ts'

export interface Preferred {
  /** Position of the plan in the list. */
  readonly rank: number
  readonly id: string
  /** Number of tied plans, including the first. */
  readonly among: number
  /** Why it is preferred to the first plan; empty if it is the first. */
  readonly reasons: readonly string[]
}

/** The part of a listed plan that preferences look at. */
export interface Listed {
  readonly rank: number
  readonly id: string
  readonly mesh: Mesh
  readonly placement: readonly Lying[]
  readonly idleChips: number
  readonly headroom: { readonly memory: number }
  readonly againstFirst: AgainstFirst | null
}

interface Lying {
  readonly axis: Axis
  readonly on: string
  readonly physical: readonly number[]
}

/** What preferences need beside the plans: the chip, and what was published for the model on it. */
export interface Custom {
  readonly chip: Chip
  readonly recipes: readonly Recipe[]
  /** The finest division of a sequence that has been published, as the size of the context axis. */
  readonly mostContext: number
}

interface Preference {
  /** Higher is better. */
  readonly of: (plan: Listed, custom: Custom) => number
  readonly says: (own: number, other: number) => string
}

const preferences: readonly Preference[] = [
  {
    of: ({ idleChips }) => (idleChips === 0 ? 1 : 0),
    says: () => 'it uses all chips, and the first plan leaves some idle',
  },
  {
    of: ({ mesh }, { recipes }) => (isPublished(recipes, mesh) ? 1 : 0),
    says: () =>
      'a published run of this model on these chips divides it the same way (recipes), and none divides it as the first plan does',
  },
  {
    of: (plan, custom) => -uncustomary(plan, custom),
    says: () =>
      'closer to published runs: tensor parallelism within a node, and pieces of a sequence no shorter than in any of them',
  },
  {
    // What is published as it stands was preferred for that already.
    of: ({ mesh }, { recipes }) => (isPublishedKind(recipes, mesh) && !isPublished(recipes, mesh) ? 1 : 0),
    says: () =>
      'a published run of this model on these chips divides it over the same axes, and none does over those of the first plan',
  },
  {
    of: ({ mesh }) => -axes.filter((axis) => mesh[axis] > 1).length,
    says: (own, other) =>
      `${-own} mesh ${own === -1 ? 'axis is' : 'axes are'} in use, ${-other} in the first plan`,
  },
  {
    of: (plan, { chip }) => -crossing(plan, chip).length,
    says: (own, other) =>
      `${-own} of the axes that divide the model ${-own === 1 ? 'spans' : 'span'} more than a node or slice, ${-other} in the first plan`,
  },
  {
    // It matters that some memory is free, not how much.
    of: ({ headroom }) => (headroom.memory >= roomy ? 1 : 0),
    says: () => 'a tenth of the memory budget is free, unlike in the first plan',
  },
  {
    of: ({ mesh }) => -together(mesh),
    says: (own, other) =>
      `a sequence passes through ${counted(-own, 'chip')}, in the first plan through ${-other}`,
  },
]

const roomy = 1.1

/** Null if fewer than two plans are listed, or nothing is known of ties. */
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

/** Positive if `one` is preferred, by the first preference in which the two differ. */
function decisive(one: Listed, other: Listed, custom: Custom): number {
  for (const { of } of preferences) {
    const apart = of(one, custom) - of(other, custom)
    if (apart !== 0) return apart
  }
  return 0
}

/** How far a plan goes beyond what has been published: tensor axes that span nodes, and halvings of a sequence beyond the finest published ones. */
function uncustomary(plan: Listed, { chip, mostContext }: Custom): number {
  const across = crossing(plan, chip).filter((axis) => matrixAxes.includes(axis)).length
  return across + Math.max(0, Math.log2(plan.mesh.context / mostContext))
}

/** Axes that divide the model, as opposed to replicas, and that span more than a node or slice. */
function crossing({ placement }: Listed, { system }: Chip): readonly Axis[] {
  return placement
    .filter(({ axis }) => !restAxes.includes(axis))
    .filter(({ on, physical }) => (system.kind === 'torus' ? on === 'dcn' : Math.max(...physical) > 0))
    .map(({ axis }) => axis)
}

/** Chips that work on one sequence together: one of them that fails or lags holds up the others. */
function together(mesh: Mesh): number {
  return axes.reduce((chips, axis) => (restAxes.includes(axis) ? chips : chips * mesh[axis]), 1)
}
