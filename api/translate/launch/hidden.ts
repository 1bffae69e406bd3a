/**
 * The request of a launch file as if the file had the options that hide communication, without the assumptions that
 * their absence causes.
 */
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Change } from '../../../src/rules/part-rule.ts'
import { changed } from '../../hints/change.ts'
import type { AssumptionsRequest } from '../../schemas/given/assumptions.ts'
import { basisOf } from '../assumptions.ts'

export interface Unassumed<Request> {
  readonly request: Request
  readonly options: readonly string[]
  readonly changes: readonly Change[]
}

/** Null if there are no such assumptions; `own` is what the request itself says. */
export function unassumed<Request extends { readonly assumptions: AssumptionsRequest }>(
  request: Request,
  own: unknown,
  { costed = {}, lacking = {} }: LaunchReading,
): Unassumed<Request> | null {
  if (basisOf(request.assumptions) === 'book') return null
  const said = Object(own)
  const names = Object.keys(costed).filter((name) => said[name] === undefined)
  if (names.length === 0) return null
  const changes = names.map((name) => ({ pointer: `/assumptions/${name}`, value: null }))
  const options = names.flatMap((name) => lacking[name] ?? [])
  return { request: changed(request, changes) as Request, options, changes }
}
