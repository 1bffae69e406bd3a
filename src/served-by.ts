/**
 * A deployment under each server that launches it, where the request names no stack: a server's own constants make it sustain more or less
 * than what deployments are ranked by, so that a command of one may miss what the list says is met. Each is costed as its command says it.
 */
import { compact } from './compact.ts'
import { type Sustained, sustainedBy } from './evaluate-serve.ts'
import { present } from './fields.ts'
import { remembered } from './known.ts'
import { type Server, servers } from './launch/framework.ts'
import { launchersAmong } from './launch/launch.ts'
import { readFrom, serversOf } from './launch/serving.ts'
import { never, type Stop } from './patience.ts'
import type { PhasePlan, ServePlan } from './plan/inference-plan.ts'
import type { InstanceSketch, ServeSketch } from './plan-sketch.ts'
import type { ServeProblem } from './problem.ts'

/** A deployment whose launches say what it sustains under each server, and whose notes say which of them miss what is asked: the warnings. */
export interface Served {
  readonly plan: ServePlan
  readonly warnings: readonly string[]
}

/** Servers for which there was no time are left out. */
export function servedBy(problem: ServeProblem): (plan: ServePlan, stop?: Stop) => Served {
  const { runBy = {}, ...rest } = problem
  const problemUnder = remembered((name: Server): ServeProblem => {
    return { ...rest, assumptions: { ...(runBy[name] ?? rest.assumptions), frameworks: [name] } }
  })
  const differ = servers.some((name) => runBy[name])
  const asked = serversOf(problem, rest.assumptions.frameworks)
  const answeredBy = (name: Server, plan: ServePlan): Sustained | null => {
    const sketch = plan.disaggregated ? asPlanned(plan) : asCommanded(plan, name, problem)
    const alike = sketch.maxSequences === plan.maxSequences && sketch.stepTokens === plan.stepTokens
    if (!runBy[name] && (plan.disaggregated || alike)) return { infeasible: [], ...plan }
    return sustainedBy(problemUnder(name), sketch)
  }
  return (plan, stop = never) => {
    const { launch, feasible } = plan
    const able = differ ? launchersAmong(asked, launch) : []
    const found = able.flatMap((name) => {
      const served = stop() ? null : answeredBy(name, plan)
      return served ? [{ name, served }] : []
    })
    if (found.length === 0) return { plan, warnings: [] }
    const requestsPerSecond = Object.fromEntries(
      found.map(({ name, served }) => [name, served.requestsPerSecond]),
    )
    const warnings = feasible ? compact(...found.map(({ name, served }) => missedBy(name, served))) : []
    const notes = [...warnings, ...(Array.isArray(launch.notes) ? launch.notes : [])]
    return { plan: { ...plan, launch: { ...launch, requestsPerSecond, notes } }, warnings }
  }
}

/** What servers of either phase are told, and how many prompts they read together; layouts are their own. */
function asPlanned({
  disaggregated,
  contextLength,
  maxSequences,
  prefill,
  generate,
}: ServePlan): ServeSketch {
  const { batchSequences } = prefill
  return {
    ...{ disaggregated, maxSequences, contextLength },
    ...{ prefill: { ...instanceOf(prefill), batchSequences }, generate: instanceOf(generate) },
  }
}

/** What the command of a server says that does both phases: not how many prompts it reads together. */
function asCommanded(plan: ServePlan, name: Server, problem: ServeProblem): ServeSketch {
  const { disaggregated, chips, launch, contextLength, prefill, generate } = plan
  const told = readFrom(name, launch[name], problem, chips)
  // Replicas of a server may be started one by one.
  const replicas = generate.mesh.data / (told.generate?.mesh.data ?? 1)
  const ofAll = (limit: number | undefined) => (limit === undefined ? undefined : limit * replicas)
  const { layout } = told.generate ?? {}
  return {
    ...{ disaggregated, contextLength },
    ...present({
      maxSequences: ofAll(told.maxSequences) ?? plan.maxSequences,
      stepTokens: ofAll(told.stepTokens) ?? plan.stepTokens ?? undefined,
    }),
    ...{ prefill: instanceOf(prefill), generate: { ...instanceOf(generate), ...present({ layout }) } },
  }
}

function instanceOf({ mesh, instances, topology, slices }: PhasePlan): InstanceSketch {
  return { mesh, instances, ...(topology ? { topology, slices } : {}) }
}

function missedBy(name: Server, { infeasible }: Sustained): string | null {
  if (infeasible.length === 0) return null
  const what = infeasible.map(({ detail }) => detail).join('; ')
  return `${name}: by its own constants these servers miss what is asked: ${what}; assumptions.frameworks ["${name}"] asks for a deployment that does not`
}
