/**
 * What a written plan gives away: by how much the best plan that the same frameworks launch, under the request's constraints, is better. By the time of
 * a step, or where a batch is as large as memory has room for, of a token.
 */
import type { Framework } from '../launch/framework.ts'
import { frameworks } from '../launch/framework.ts'
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

/** Of those that are assumed. */
export function launchersOf(
  { launch }: Pick<Plan, 'launch'>,
  assumed: readonly Framework[],
): readonly Framework[] {
  const able = frameworks.filter((name) => {
    const how = launch[name]
    return assumed.includes(name) && how !== undefined && !isRefused(how)
  })
  return able.length > 0 ? able : assumed
}

export function regret(
  given: Plan,
  best: Plan | undefined,
  {
    byToken,
    exact,
    launchers,
  }: { readonly byToken: boolean; readonly exact: boolean; readonly launchers: readonly Framework[] },
): Regret | null {
  if (!best) return null
  const seconds = (plan: Plan) => (byToken ? 1 / plan.tokensPerSecond : plan.stepTimeSeconds)
  const { summary, mesh, stepTimeSeconds } = best
  return {
    savesFraction: 1 - seconds(best) / seconds(given),
    best: { summary, mesh, stepTimeSeconds },
    frameworks: launchers,
    exact,
  }
}

export interface ServeRegret extends Pick<Regret, 'savesFraction' | 'frameworks' | 'exact'> {
  readonly best: Pick<ServePlan, 'summary' | 'chips' | 'requestsPerSecond'>
}

/** Of a deployment: of its chips, or where no rate is asked for of the time that the pool takes for a request. */
export function serveRegret(
  given: ServePlan,
  best: ServePlan | undefined,
  {
    atRate,
    exact,
    launchers,
  }: { readonly atRate: boolean; readonly exact: boolean; readonly launchers: readonly Framework[] },
): ServeRegret | null {
  if (!best) return null
  const measure = (plan: ServePlan) => (atRate ? plan.chips : 1 / plan.requestsPerSecond)
  const { summary, chips, requestsPerSecond } = best
  return {
    savesFraction: 1 - measure(best) / measure(given),
    best: { summary, chips, requestsPerSecond },
    frameworks: launchers,
    exact,
  }
}

function isRefused(how: unknown): boolean {
  return typeof how === 'object' && how !== null && 'unsupported' in how
}
