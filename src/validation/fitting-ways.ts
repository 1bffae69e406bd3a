/** Ways to make a written plan legal are told only where the plan then has room: each is tried, as far as time allows. */
import { isFields } from '../fields.ts'
import type { Stop } from '../patience.ts'
import type { Infeasibility } from '../plan/plan.ts'
import type { PlanFault, Way } from '../rules/part-rule.ts'

type Tried =
  | { readonly plan: { readonly infeasible?: readonly Infeasibility[] } }
  | { readonly illegal: unknown }

/** What is still illegal with a change, by another rule, has ways of that rule, and its own are kept. */
export function fittingWays(
  faults: readonly PlanFault[],
  evaluate: (way: Way) => Tried,
  stop: Stop,
): readonly PlanFault[] {
  return faults.map(({ nearest = [], ...fault }) => {
    const ways = nearest.filter((way) => !stop() && hasRoom(evaluate(way)))
    return ways.length > 0 ? { ...fault, nearest: ways } : fault
  })
}

function hasRoom(tried: Tried): boolean {
  return 'illegal' in tried || !tried.plan.infeasible?.some(({ reason }) => reason === 'memory')
}

/** A written plan with the changes of a way, which point into the request that it stands in. */
export function changedBy<Sketch extends object>(sketch: Sketch, way: Way): Sketch {
  return way.reduce<unknown>(
    (own, { pointer, value }) => withValue(own, pointer.split('/').slice(2), value),
    sketch,
  ) as Sketch
}

/** Null takes away what is there. */
function withValue(own: unknown, [name, ...inner]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const fields = isFields(own) ? own : {}
  const { [name]: there, ...others } = fields
  const next = withValue(there, inner, value)
  return next === null ? others : { ...others, [name]: next }
}
