/**
 * Which plans of a list are as good as the first for all that is known. Errors of plans of one request are alike, so that a difference
 * is surer than a level; how sure was measured: by how much the errors of two layouts of one question differ, where both were run
 * (fixtures/residuals.json, `differences`). With D so distributed, either way as likely,
 *
 *   chance that a plan is in truth the faster = P(|D| > log(its time / the first's)) / 2
 *
 * and a plan is tied where that is at least two in five.
 */
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { degreesOf } from './recipes.ts'
import type { Differences, Residuals } from './residuals.ts'

export interface AgainstFirst {
  /** Of the first plan's step, what this one is predicted to take longer. */
  readonly slowerBy: number
  /** That it is the faster of the two all the same. */
  readonly chanceFaster: number
  readonly tied: boolean
}

interface Ranked {
  readonly mesh: Mesh
  readonly stepTimeSeconds: Seconds
}

/** From here on a difference decides no more than a coin would. */
const tiedFrom = 0.4

/** Plans of a list, each against the first. */
export function compared<Plan extends Ranked>(
  plans: readonly Plan[],
  residuals: Residuals | undefined,
): readonly (Plan & { readonly againstFirst: AgainstFirst | null })[] {
  const [first] = plans
  return plans.map((plan) => ({
    ...plan,
    againstFirst: first && residuals ? againstFirst(plan, first, residuals) : null,
  }))
}

export function againstFirst(
  plan: Ranked,
  first: Ranked,
  { differences }: Pick<Residuals, 'differences'>,
): AgainstFirst {
  const slowerBy = plan.stepTimeSeconds / first.stepTimeSeconds - 1
  const { alike, otherwise } = differences
  const own = degreesOf(plan.mesh) === degreesOf(first.mesh) ? alike : otherwise
  const chanceFaster = chanceOf(Math.log(plan.stepTimeSeconds / first.stepTimeSeconds), own)
  return { slowerBy, chanceFaster, tied: Math.min(chanceFaster, 1 - chanceFaster) >= tiedFrom }
}

/** Deciles are joined by straight lines; beyond the largest difference that was seen there is none. Below 0 the plan is predicted to be the faster. */
export function chanceOf(difference: number, { deciles }: Pick<Differences, 'deciles'>): number {
  if (difference < 0) return 1 - chanceOf(-difference, { deciles })
  const above = deciles.findIndex((decile) => decile > difference)
  if (above < 0) return 0
  const [low = 0, high = low] = deciles.slice(Math.max(above - 1, 0), above + 1)
  const under = Math.max(above - 1, 0) + (high > low ? (difference - low) / (high - low) : 0)
  return (1 - under / (deciles.length - 1)) / 2
}
