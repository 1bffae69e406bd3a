/**
 * A deployment that somebody wrote, costed as the search would; what it leaves out is chosen as the search would.
 * A deployment that misses a limit of the request is still answered with its numbers: the limit on the first token
 * is dropped, then the one on each further token, then the rate, within both limits if it keeps these at any; and where
 * not even one sequence fits, the memory budget is raised until it does.
 */
import type { Solver } from '../solvers/linear-program.ts'
import { compact } from './compact.ts'
import { present } from './fields.ts'
import { behindSwitches } from './hardware/cluster/resized-cluster.ts'
import { anySizes, sizesByServer } from './instance-sizes.ts'
import { sizedWith } from './modes/serve/counts.ts'
import { mostRate } from './modes/serve/most-rate.ts'
import { instanceClusters } from './modes/serve/pool.ts'
import { type Requests, requestsOf } from './modes/serve/requests.ts'
import { precedes, type Sized } from './modes/serve/sized.ts'
import { isOf, promptsOf, writtenPairs } from './modes/serve/written.ts'
import type { EvaluateAnswer, IllegalPlan } from './plan/answer.ts'
import { resolved } from './plan/answered.ts'
import type { ServePlan } from './plan/inference-plan.ts'
import type { Infeasibility } from './plan/plan.ts'
import { assembleServe } from './plan/serve/assemble.ts'
import { unlimited } from './plan/serve/easier-requests.ts'
import { lacksRoomAlone, limitsMissed, missed, type Written } from './plan/serve/missed.ts'
import { serveSketchFaults } from './plan/serve/sketch-faults.ts'
import { serveWarnings } from './plan/serve/warnings.ts'
import type { InstanceSketch, ServeSketch } from './plan-sketch.ts'
import type { ServeProblem } from './problem.ts'
import { meshSize } from './sharding/axis.ts'

export function evaluateServe(
  problem: ServeProblem,
  sketch: ServeSketch,
  solver: Solver,
): EvaluateAnswer<ServePlan> | IllegalPlan {
  const parts = partsOf(problem, sketch)
  const illegal = serveSketchFaults(problem, sketch, parts)
  if (illegal.length > 0) return { illegal }
  const requests = requestsOf(problem, sketch.contextLength)
  const found = written(problem, sketch, parts, requests)
  const { memoryBudget } = problem
  const planned = found?.planned ?? undefined
  const plan = found && assembleServe(found.sized, requests, { rank: 1, solver, memoryBudget, planned })
  if (!found || !plan) return { illegal: [{ pointer: '/plan', detail: nothing }] }
  const { workload } = problem
  return {
    plan: missed(plan, found, requests, memoryBudget),
    ...resolved(problem, workload.promptLength + workload.outputLength),
    warnings: compact(serveWarnings(problem, plan, true), !found.launched && unlaunched),
  }
}

/** What a deployment sustains, and the limits of the request that it misses. */
export interface Sustained {
  readonly requestsPerSecond: number
  readonly infeasible: readonly Infeasibility[]
}

/** The same of a deployment that a search found, and so a legal one, without its account; null if it cannot be run. */
export function sustainedBy(problem: ServeProblem, sketch: ServeSketch): Sustained | null {
  const requests = requestsOf(problem, sketch.contextLength)
  const found = written(problem, sketch, partsOf(problem, sketch), requests)
  if (!found) return null
  return {
    requestsPerSecond: found.planned ?? mostRate(found.sized, requests),
    infeasible: limitsMissed(found, requests, problem.memoryBudget),
  }
}

interface Found extends Written {
  /** False where the request's frameworks launch nothing that agrees with the plan and fits. */
  readonly launched: boolean
}

const unlaunched =
  'no framework of the request launches a deployment that agrees with the plan and fits: what the plan leaves out is chosen among all that can be run'

const nothing =
  'no choice of what the plan leaves open can be run: its instances, and what reads prompts beside what generates, do not go together'

/** Clusters of the sizes that its instances may have. Behind switches these include sizes that no search would try. */
function partsOf({ cluster }: ServeProblem, { prefill = {}, generate = {} }: ServeSketch) {
  const usual = instanceClusters(cluster)
  const { network } = cluster
  const own = [prefill, generate].flatMap(({ mesh }) => {
    const chips = mesh ? meshSize(mesh) : 0
    if (chips < 1 || chips > cluster.chips || usual.some((part) => part.chips === chips)) return []
    return network.kind === 'switched' ? [behindSwitches(cluster, network, chips)] : []
  })
  return [...usual, ...own].filter((part) =>
    [prefill, generate].some((phase) => isOf({ cluster: part }, phase)),
  )
}

function written(
  problem: ServeProblem,
  sketch: ServeSketch,
  parts: ReturnType<typeof partsOf>,
  requests: Requests,
): Found | null {
  const best = bestOf(problem, sketch, parts, requests)
  if (best) return { ...best, planned: plannedRate(problem, sketch, parts, requests, best) }
  // Nothing fits: keep to one sequence at a time, and raise the memory budget until it fits.
  const { prefill, generate, disaggregated } = sketch
  // One server reads prompts on the mesh that generates.
  const prompts = promptsOf({ ...(disaggregated ? {} : present({ mesh: generate?.mesh })), ...prefill })
  const maxSequences = Math.min(sketch.maxSequences ?? Number.POSITIVE_INFINITY, prompts + 1)
  const one = { ...sketch, maxSequences }
  for (
    let memoryBudget = 1.25 * problem.memoryBudget;
    memoryBudget < mostTimes * problem.memoryBudget;
    memoryBudget *= 1.25
  ) {
    const found = bestOf({ ...problem, memoryBudget }, one, parts, requests)
    if (found) return { ...found, met: false, planned: null }
  }
  return null
}

const mostTimes = 1000

/** What as many instances are planned for within the limits of the request. */
function plannedRate(
  problem: ServeProblem,
  sketch: ServeSketch,
  parts: ReturnType<typeof partsOf>,
  requests: Requests,
  found: Omit<Found, 'planned'>,
): number | null {
  if (requests.rate === null || !lacksRoomAlone(found, requests, problem.memoryBudget)) return null
  const { pair, prefills, generates } = found.sized
  const counted: ServeSketch = {
    ...{ ...sketch, disaggregated: pair.disaggregated },
    prefill: { ...sketch.prefill, instances: prefills },
    generate: { ...sketch.generate, instances: generates },
  }
  const best = bestOf(problem, counted, parts, { ...requests, rate: null })
  return best?.met ? best.sized.operation.rate : 0
}

function bestOf(
  problem: ServeProblem,
  sketch: ServeSketch,
  parts: ReturnType<typeof partsOf>,
  asked: Requests,
): Omit<Found, 'planned'> | null {
  const easier: readonly Requests[] = [
    asked,
    { ...asked, maxFirst: unlimited.maxFirst },
    { ...asked, ...unlimited, rate: asked.rate },
    ...(asked.rate === null ? [] : [{ ...asked, rate: null }]),
    { ...asked, ...unlimited },
  ]
  const { prefill = {}, generate = {} } = sketch
  const counts = { prefills: prefill.instances, generates: generate.instances }
  const pool = { cluster: problem.cluster, chips: problem.constraints.chips }
  for (const { byServer, alike, launched } of choicesOf(problem, parts)) {
    for (const requests of easier) {
      let best: Sized | null = null
      for (const pair of byServer.flatMap((sizes) =>
        kindsOf(problem, sketch).flatMap((apart) => writtenPairs(sizes, sketch, apart, requests, alike)),
      )) {
        const sized = sizedWith(pair, counts, requests, pool)
        if (sized && (!best || precedes(sized, best))) best = sized
      }
      if (best) return { sized: best, met: requests === asked, launched }
    }
  }
  return null
}

/**
 * What a framework launches comes first, even where it misses a limit that something else would meet; then what is one server. Sizes that
 * nobody launches are made only if they are asked for.
 */
function* choicesOf(problem: ServeProblem, parts: ReturnType<typeof partsOf>) {
  const { byServer, filtered } = sizesByServer(problem, parts)
  yield { byServer, alike: false, launched: true }
  if (!filtered) return
  const any = [anySizes(problem, parts)]
  yield { byServer: any, alike: true, launched: false }
  yield { byServer: any, alike: false, launched: false }
}

/** Whether the phases are disaggregated: as the plan says, else as follows from it, else as the request leaves it open. */
function kindsOf({ workload }: ServeProblem, sketch: ServeSketch): readonly boolean[] {
  const { disaggregated, prefill, generate } = sketch
  if (disaggregated !== undefined) return [disaggregated]
  if (isUnlike(prefill, generate)) return [true]
  if (sketch.stepTokens !== undefined) return [false]
  return workload.disaggregated === 'auto' ? [false, true] : [workload.disaggregated]
}

/** Whether the phases differ in chips or instances, which they cannot when one server runs both. */
function isUnlike(prefill: InstanceSketch = {}, generate: InstanceSketch = {}): boolean {
  const chips = (own: InstanceSketch) => (own.mesh ? meshSize(own.mesh) : undefined)
  const differ = (a: number | undefined, b: number | undefined) =>
    a !== undefined && b !== undefined && a !== b
  return differ(chips(prefill), chips(generate)) || differ(prefill.instances, generate.instances)
}
