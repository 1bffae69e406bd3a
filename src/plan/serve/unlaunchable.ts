/**
 * A deployment that no framework launches: what it would gain, and what is in its way. A framework launches both phases or
 * none, and on the same chips both as one server.
 */
import type { Solver } from '../../../solvers/linear-program.ts'
import { refusalOf } from '../../launch/launch.ts'
import { serversOf } from '../../launch/serving.ts'
import type { Sized } from '../../modes/serve/counts.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import type { Unlaunchable } from '../answer.ts'
import type { ServePlan } from '../inference-plan.ts'
import { assembleServe } from './assemble.ts'

/** `first` is the first that is listed, if any is. */
export function unlaunchableServe(
  deployment: Sized,
  requests: Requests,
  first: Sized | null,
  solver: Solver,
): Unlaunchable<ServePlan> | null {
  const plan = assembleServe(deployment, requests, { rank: 0, solver })
  if (!plan) return null
  const { setting } = deployment.pair.generate.size.bench
  const asked = serversOf(setting, setting.assumptions.frameworks)
  return {
    plan,
    advantage: first && advantageOver(first, deployment, requests),
    reasons: Object.fromEntries(asked.map((name) => [name, refusalOf(plan.launch[name]) ?? []])),
  }
}

/** How many times fewer chips, or more requests a second. */
function advantageOver(first: Sized, deployment: Sized, { rate }: Requests): number {
  return rate === null ? deployment.score / first.score : first.score / deployment.score
}
