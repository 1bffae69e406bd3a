/**
 * The best deployment that no framework launches: how much better it is, and what prevents its launch. A framework has
 * to launch both phases, and on shared chips as one server.
 */
import type { Solver } from '../../../solvers/linear-program.ts'
import { refusalOf } from '../../launch/launch.ts'
import { serversOf } from '../../launch/serving.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import type { Unlaunchable } from '../answer.ts'
import type { ServePlan } from '../inference-plan.ts'
import { assembleServe } from './assemble.ts'

/** `first` is the first listed deployment; null if there is none. */
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

/** How many times fewer chips it takes, or how many times more requests per second it answers. */
function advantageOver(first: Sized, deployment: Sized, { rate }: Requests): number {
  return rate === null ? deployment.score / first.score : first.score / deployment.score
}
