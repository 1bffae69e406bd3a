/**
 * What a written plan gives away: how much better the best plan is that the same frameworks launch under the request's
 * constraints: of those that are tied with the fastest, the preferred one. Plans are compared by step time, or by time per token if the batch is whatever memory holds.
 */
import { type Framework, frameworks, ofKind } from '../launch/framework.ts'
import { launchersAmong } from '../launch/launch.ts'
import type { Mesh } from '../sharding/axis.ts'
import { measuredRuns } from './certainty/measured-faster.ts'
import { degreesOf, type ShownRecipe } from './certainty/recipes.ts'
import type { ServePlan } from './inference-plan.ts'
import type { Plan } from './plan.ts'

export interface Regret {
  /**
   * Fraction of the written plan's time that the best saves: 0.2 is a fifth. Negative if the written plan is better
   * than anything the search lists.
   */
  readonly savesFraction: number
  readonly best: { readonly summary: string; readonly mesh: Mesh; readonly stepTimeSeconds: number }
  /** The framework of a launch file; otherwise those that launch the written plan, and all assumed ones if none does. */
  readonly frameworks: readonly Framework[]
  /** The fastest published run of this very question that divides the model as the written plan does; null if there is none. */
  readonly published: PublishedRun | null
  /** Whether `best` is proven to be the best; false if the search had to stop early. */
  readonly exact: boolean
}

/** What was measured, and what of its prediction the request assumes otherwise. */
export interface PublishedRun {
  readonly software: string
  readonly source: string
  readonly stepTimeSeconds: number
  readonly assumedOtherwise: readonly string[]
}

export interface ServeRegret extends Pick<Regret, 'savesFraction' | 'frameworks' | 'exact'> {
  readonly best: Pick<ServePlan, 'summary' | 'chips' | 'requestsPerSecond'>
}

/** The assumed frameworks that launch a plan; all of them if none does. */
export function launchersOf(
  { launch }: Pick<Plan, 'launch'>,
  assumed: readonly Framework[],
): readonly Framework[] {
  const able = launchersAmong(ofKind(frameworks, assumed), launch)
  return able.length > 0 ? able : assumed
}

type Searched = Pick<Regret, 'frameworks' | 'exact'>

export function regret(
  given: Plan,
  best: Plan,
  { byToken, recipes, ...searched }: Searched & Of & { readonly byToken: boolean },
): Regret {
  const seconds = (plan: Plan) => (byToken ? 1 / plan.tokensPerSecond : plan.stepTimeSeconds)
  const { summary, mesh, stepTimeSeconds } = best
  const savesFraction = 1 - seconds(best) / seconds(given)
  const published = publishedAs(given, recipes)
  return { savesFraction, best: { summary, mesh, stepTimeSeconds }, published, ...searched }
}

interface Of {
  readonly recipes: readonly ShownRecipe[]
}

function publishedAs({ mesh }: Plan, recipes: readonly ShownRecipe[]): PublishedRun | null {
  const run = measuredRuns(recipes).find(({ recipe }) => degreesOf(recipe.plan.mesh) === degreesOf(mesh))
  if (!run) return null
  const { software, release, source, assumedOtherwise } = run.recipe
  return {
    software: `${software} ${release}`,
    source,
    stepTimeSeconds: run.stepTimeSeconds,
    assumedOtherwise,
  }
}

/** For deployments: fraction of chips saved, or, if no rate is requested, of the pool's time per request. */
export function serveRegret(
  given: ServePlan,
  best: ServePlan,
  { atRate, ...searched }: Searched & { readonly atRate: boolean },
): ServeRegret {
  const measure = (plan: ServePlan) => (atRate ? plan.chips : 1 / plan.requestsPerSecond)
  const { summary, chips, requestsPerSecond } = best
  const savesFraction = 1 - measure(best) / measure(given)
  return { savesFraction, best: { summary, chips, requestsPerSecond }, ...searched }
}
