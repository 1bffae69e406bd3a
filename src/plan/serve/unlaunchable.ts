/**
 * A deployment that no framework launches: what it would gain, and what is in its way. A framework launches both phases or
 * none, and on the same chips both as one server. Generation is asked of with all the sequences that it was counted with.
 */
import type { Solver } from '../../../solvers/linear-program.ts'
import { servingRefusals } from '../../launch/serving.ts'
import type { Sized } from '../../modes/serve/counts.ts'
import { isOneServer } from '../../modes/serve/one-server.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import type { Unlaunchable } from '../answer.ts'
import type { ServePlan } from '../inference-plan.ts'
import { assembleServe, generateOf, runningCandidate } from './assemble.ts'

/** `first` is the first that is listed, if any is. */
export function unlaunchableServe(
  deployment: Sized,
  requests: Requests,
  first: Sized | null,
  solver: Solver,
): Unlaunchable<ServePlan> | null {
  const plan = assembleServe(deployment, requests, 0, solver)
  if (!plan) return null
  return {
    plan,
    advantage: first && advantageOver(first, deployment, requests),
    reasons: reasons(deployment, plan, requests),
  }
}

/** How many times fewer chips, or more requests a second of a chip. */
function advantageOver(first: Sized, deployment: Sized, { rate }: Requests): number {
  return rate === null ? deployment.score / first.score : first.score / deployment.score
}

function reasons(
  { pair }: Sized,
  plan: ServePlan,
  { promptLength, outputLength }: Requests,
): Readonly<Record<string, readonly string[]>> {
  const { prefill, generate, slots, disaggregated } = pair
  const { setting } = generate.size.bench
  const prompts = servingRefusals(prefill.size.bench.setting, prefill.candidate, 'prefill', {
    contextLength: promptLength,
    memory: plan.prefill.memoryBytes,
  })
  const full = runningCandidate(generate, slots)
  const tokens = servingRefusals(setting, full ?? generate.chosen, 'generate', {
    contextLength: promptLength + outputLength,
    memory: full ? generateOf(generate, full, 0).memoryBytes : plan.generate.memoryBytes,
  })
  const apart = disaggregated || isOneServer(prefill.candidate, generate.chosen) ? [] : [oneServer]
  return Object.fromEntries(
    Object.entries(prompts).map(([name, refusals]) => [
      name,
      [
        ...refusals.map((sentence) => `prefill: ${sentence}`),
        ...(tokens[name] ?? []).map((sentence) => `generate: ${sentence}`),
        ...apart,
      ],
    ]),
  )
}

const oneServer =
  'on the same chips both phases run in one server, which has one mesh and keeps weights and caches one way; the plan has each its own'
