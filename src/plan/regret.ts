/**
 * What a written plan gives away: by how much the best plan that the same frameworks launch, under the request's constraints, is better. By the time of
 * a step, or where a batch is as large as memory has room for, of a token.
 */
import { type Framework, frameworks, ofKind } from '../launch/framework.ts'
import { launchersAmong } from '../launch/launch.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { ServePlan } from './inference-plan.ts'
import type { Plan } from './plan.ts'

export interface Regret {
  /** Of the time of the given plan: 0.2 is a fifth. Below zero it is better than what the search lists. */
  readonly savesFraction: number
  readonly best: { readonly summary: string; readonly mesh: Mesh; readonly stepTimeSeconds: number }
  /** Who launches both; all that are assumed where none launches the given one. */
  readonly frameworks: readonly Framework[]
  /** Whether it is the best of all: a search that had to stop has the best so far. */
  readonly exact: boolean
}

export interface ServeRegret extends Pick<Regret, 'savesFraction' | 'frameworks' | 'exact'> {
  readonly best: Pick<ServePlan, 'summary' | 'chips' | 'requestsPerSecond'>
}

/** Of those that are assumed. */
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
  { byToken, ...searched }: Searched & { readonly byToken: boolean },
): Regret {
  const seconds = (plan: Plan) => (byToken ? 1 / plan.tokensPerSecond : plan.stepTimeSeconds)
  const { summary, mesh, stepTimeSeconds } = best
  const savesFraction = 1 - seconds(best) / seconds(given)
  return { savesFraction, best: { summary, mesh, stepTimeSeconds }, ...searched }
}

/** Of a deployment: of its chips, or where no rate is asked for of the time that the pool takes for a request. */
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
