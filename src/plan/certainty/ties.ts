/**
 * Which plans of a list may be as good as the first, as far as is known. Plans of one request have similar errors, so
 * that a difference between them is known better than either time. How well was measured, by how much the errors of two
 * layouts of one question differ (fixtures/residuals.json, `differences`): layouts that lie further apart differ more. With o octaves
 * (doublings of tensor, context, expert and pipeline) between two layouts the difference is taken for √(1 + g·o)·D, where D has the
 * distribution that was measured, with either sign equally likely:
 *
 *   chance that a plan is really the faster = P(√(1 + g·o)·|D| > log(its time / the first's)) / 2
 *
 * and a plan counts as tied if that chance is at least two in five. Octaves by which only one of the two lies beyond all measured runs
 * (measured-range.ts) count once more: no measurement holds the model there, as those of pairs do inside.
 */
import type { Mesh } from '../../sharding/axis.ts'
import { octavesBetween } from './octaves.ts'
import type { Differences, LayoutDifferences } from './residuals.ts'

export interface AgainstFirst {
  /** How much longer than the first plan this one is predicted to take, as a fraction. */
  readonly slowerBy: number
  /** Octaves between the two layouts, with those by which only one of them lies beyond measured runs. */
  readonly octaves: number
  /** Probability that it is nevertheless the faster of the two. */
  readonly chanceFaster: number
  readonly tied: boolean
}

/** How plans of one list are compared. */
export interface Comparing<Plan> {
  readonly differences: Differences
  /** The g above. */
  readonly growth: number
  /** What the list is ranked by, in proportion to time: the step, chips for a rate, chip-seconds of a request. */
  readonly slowness: (plan: Plan) => number
  /** The o above. */
  readonly octaves: (one: Plan, other: Plan) => number
}

/** Nearly the chance of a coin toss. */
const tiedFrom = 0.4

/** Adds to each plan of a list how it compares with the first; null where nothing is known of differences. */
export function compared<Plan extends object>(
  plans: readonly Plan[],
  comparing: Comparing<Plan> | undefined,
): readonly (Plan & { readonly againstFirst: AgainstFirst | null })[] {
  const [first] = plans
  return plans.map((plan) => ({
    ...plan,
    againstFirst: first && comparing ? againstFirst(plan, first, comparing) : null,
  }))
}

export function againstFirst<Plan>(
  plan: Plan,
  first: Plan,
  { differences, growth, slowness, octaves: between }: Comparing<Plan>,
): AgainstFirst {
  const times = slowness(plan) / slowness(first)
  const octaves = between(plan, first)
  const chanceFaster = chanceOf(Math.log(times) / Math.sqrt(1 + growth * octaves), differences)
  return {
    ...{ slowerBy: times - 1, octaves, chanceFaster },
    tied: Math.min(chanceFaster, 1 - chanceFaster) >= tiedFrom,
  }
}

/** Plans that are each on one mesh; `beyond` says by how many octaves one lies beyond measured runs. */
export function onMeshes<Plan extends { readonly mesh: Mesh }>(
  differences: LayoutDifferences | undefined,
  kind: 'training' | 'inference',
  slowness: (plan: Plan) => number,
  beyond: (plan: Plan) => number = () => 0,
): Comparing<Plan> | undefined {
  return (
    differences && {
      ...{ differences: differences[kind], growth: differences.growth, slowness },
      octaves: (one, other) => octavesBetween(one.mesh, other.mesh) + Math.abs(beyond(one) - beyond(other)),
    }
  )
}

/**
 * Interpolates linearly between deciles; 0 beyond the largest difference seen. A negative `difference` means that the
 * plan is predicted to be the faster one.
 */
export function chanceOf(difference: number, { deciles }: Pick<Differences, 'deciles'>): number {
  if (difference < 0) return 1 - chanceOf(-difference, { deciles })
  const above = deciles.findIndex((decile) => decile > difference)
  if (above < 0) return 0
  const [low = 0, high = low] = deciles.slice(Math.max(above - 1, 0), above + 1)
  const under = Math.max(above - 1, 0) + (high > low ? (difference - low) / (high - low) : 0)
  return (1 - under / (deciles.length - 1)) / 2
}
