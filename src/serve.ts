/** Serving in one page: rates and objectives in, ranked deployments out. */
import type { Solver } from '../solvers/linear-program.ts'
import { compact } from './compact.ts'
import { infer } from './infer.ts'
import { anySizes, sizesByServer } from './instance-sizes.ts'
import { serversOf } from './launch/serving.ts'
import type { PhaseMode } from './modes/names.ts'
import { bestDeployments, type ServeSearch, type ServeSpace } from './modes/serve/deployments.ts'
import type { InstanceSize } from './modes/serve/instance.ts'
import { instanceClusters } from './modes/serve/pool.ts'
import { type Requests, requestsOf } from './modes/serve/requests.ts'
import type { Sized } from './modes/serve/sized.ts'
import { endless, type Patience, type Stop, shares, within } from './patience.ts'
import type { SearchAccount } from './plan/answer.ts'
import { resolved } from './plan/answered.ts'
import { assembled, unshown } from './plan/assembled.ts'
import { deploymentPreferences } from './plan/certainty/preferences.ts'
import { preferredOf } from './plan/certainty/preferred.ts'
import { compared } from './plan/certainty/ties.ts'
import { pinned } from './plan/inference/no-plan.ts'
import type { InferenceNoPlan, ServeAnswer, ServePlan } from './plan/inference-plan.ts'
import { noLaunch } from './plan/no-plan/no-launch.ts'
import { cutText } from './plan/search-account.ts'
import { assembleServe } from './plan/serve/assemble.ts'
import { serveNoPlan } from './plan/serve/no-plan.ts'
import type { Readings } from './plan/serve/phase-plans.ts'
import { comparingDeployments } from './plan/serve/ties.ts'
import { unlaunchableServe } from './plan/serve/unlaunchable.ts'
import { serveWarnings } from './plan/serve/warnings.ts'
import { worthTelling } from './plan/worth-telling.ts'
import type { PhaseProblem, ServeProblem } from './problem.ts'
import { servedBy } from './served-by.ts'

/** Exact when there is no time limit; else the best so far, as in training (optimize.ts). */
export function serve(problem: ServeProblem, solver: Solver, patience: Patience = endless): ServeAnswer {
  const requests = requestsOf(problem)
  const { promptLength, outputLength } = requests
  const space = spaceOf(problem)
  const found = bestDeployments(space, requests, patience(shares.search))
  const { deployments, enumerated, evaluated, unexamined } = found
  const [best] = deployments
  const beyond = space.filtered ? anyDeployment(problem, requests, best, patience(shares.unlaunchable)) : null
  const better = beyond?.deployments[0] ?? null
  const rival = rivalOf(space, requests, deployments, patience(shares.frontier))
  const stop = patience(shares.plans)
  const served = servedBy(problem)
  const readings: Readings = new WeakMap()
  const answerOf = (deployment: Sized, rank: number) => {
    const told = { rank, solver, readings, rival: rank === 1 ? rival : undefined }
    const plan = assembleServe(deployment, requests, told)
    return plan && served(plan, stop)
  }
  const answers = assembled(deployments, answerOf, stop)
  const made = answers.flatMap((one) => one ?? [])
  const written = made.map(({ plan }) => plan)
  const comparison = comparingDeployments(problem)
  const plans = compared(written, comparison)
  const other = rival ? (answers[deployments.indexOf(rival)] ?? answerOf(rival, 0)) : null
  const unlaunchable = better && unlaunchableServe(better, requests, best ?? null, solver)
  const search: SearchAccount = {
    enumerated,
    pruned: enumerated - evaluated - unexamined,
    evaluated,
    infeasible: { memory: 0, divisibility: 0, topology: 0, constraint: 0 },
    ...{ unexamined, unbegun: 0 },
    lowerBoundSeconds: null,
    gap: best && unexamined > 0 ? provenGap(best.score, found.floor) : null,
    exact: unexamined === 0,
  }
  return {
    plans,
    preferred: preferredOf(plans, deploymentPreferences(problem.cluster.chip), problem.top),
    alternative: other && (compared([...plans.slice(0, 1), unranked(other.plan)], comparison)[1] ?? null),
    unlaunchable,
    search,
    infeasible:
      plans.length > 0 || unexamined > 0
        ? null
        : nothing({ problem, space, solver, patience }, requests, unlaunchable !== null),
    ...resolved(problem, promptLength + outputLength),
    warnings: compact(
      cutText(search, plans.length > 0),
      unshown(deployments.length, plans.length),
      beyond && beyond.unexamined > 0 && (best || better) && unsought,
      made[0]?.warnings,
      serveWarnings(problem, plans[0] ?? null, space.filtered),
    ),
  }
}

/** The same deployment beside the list. */
function unranked(plan: ServePlan): ServePlan {
  const { prefill, generate } = plan
  return { ...plan, rank: 0, prefill: { ...prefill, rank: 0 }, generate: { ...generate, rank: 0 } }
}

/** Where a rate is asked for, scores are chips: the gap is what the best takes over the fewest that any could take. Else nothing is proven. */
function provenGap(score: number, floor: number): number | null {
  const least = Math.min(score, floor)
  return least > 0 ? score / least - 1 : null
}

interface Space extends ServeSpace {
  /** True when a framework must launch the deployments. */
  readonly filtered: boolean
}

/** What one of the request's frameworks launches; all that fits where none of those runs the model. */
function spaceOf(problem: ServeProblem): Space {
  return { ...asked(problem), ...sizesByServer(problem, instanceClusters(problem.cluster)) }
}

function asked({ cluster, constraints, workload, top, distinct }: ServeProblem) {
  return { pool: { cluster, chips: constraints.chips }, disaggregated: workload.disaggregated, top, distinct }
}

/** The best deployment of all, launchable or not, where it is better than the first launchable one. */
function anyDeployment(
  problem: ServeProblem,
  requests: Requests,
  first: Sized | undefined,
  stop: Stop,
): ServeSearch {
  const byServer = [anySizes(problem, instanceClusters(problem.cluster))]
  const found = bestDeployments({ ...asked(problem), byServer, top: 1, worst: first?.score }, requests, stop)
  const better = found.deployments.filter(({ score }) => !first || isBetter(score, first.score))
  return { ...found, deployments: better }
}

/** Better by more than the precision to which rates are found. Scores are chips, or minus a rate. */
function isBetter(score: number, than: number): boolean {
  return score < than - worthTelling * Math.abs(than)
}

const unsought =
  'there was no time to look for all deployments that no framework launches: one of them may be better; raise timeoutMs'

/**
 * The best deployment of the other kind (phases apart or together), where the request allows both: the first that is listed, else
 * searched for; null when there is none, undefined when unknown for want of time.
 */
function rivalOf(space: ServeSpace, requests: Requests, [best, ...listed]: readonly Sized[], stop: Stop) {
  const won = best?.pair.disaggregated
  if (won === undefined || space.disaggregated !== 'auto') return undefined
  const known = listed.find(({ pair }) => pair.disaggregated !== won)
  if (known || stop()) return known
  const other = bestDeployments({ ...space, disaggregated: !won, top: 1 }, requests, stop)
  return other.deployments[0] ?? (other.unexamined > 0 ? undefined : null)
}

interface Searched {
  readonly problem: ServeProblem
  readonly space: ServeSpace
  readonly solver: Solver
  readonly patience: Patience
}

function nothing(searched: Searched, requests: Requests, fits: boolean): ServeAnswer['infeasible'] {
  const { problem, space, solver, patience } = searched
  const stop = patience(shares.suggestions)
  const bestOf = (changed: Requests, other?: ServeProblem) => {
    if (stop()) return null
    const where = other ? spaceOf(other) : space
    return bestDeployments({ ...where, top: 1 }, changed, stop).deployments[0] ?? null
  }
  return serveNoPlan({
    problem,
    requests,
    stop,
    best: bestOf,
    unlaunched: (suggestions) =>
      fits ? noLaunch(serversOf(problem, problem.assumptions.frameworks), 0, suggestions) : null,
    planOf: (deployment) => assembleServe(deployment, requests, { rank: 0, solver }),
    wholePool: (phase, maxStepSeconds) => wholePool(searched, phase, maxStepSeconds),
    pinned: () => {
      const largest = largestInstance(space)
      if (!largest) return []
      return pinned({
        ...problem,
        cluster: largest.cluster,
        workload: largest.part.generateProblem('max').workload,
      })
    },
    fastestPrefill: () => {
      const all = space.byServer.flatMap((sizes) => sizes.flatMap(({ prefills }) => prefills()))
      return all.reduce<(typeof all)[number] | null>((a, b) => (a && a.seconds <= b.seconds ? a : b), null)
    },
  })
}

function largestInstance({ byServer }: Pick<ServeSpace, 'byServer'>): InstanceSize | undefined {
  return byServer[0]?.at(-1)
}

function wholePool(
  { problem, space: { byServer }, solver, patience }: Searched,
  phase: PhaseMode,
  maxStepSeconds?: number,
): InferenceNoPlan | null {
  const largest = largestInstance({ byServer })
  if (!largest) return null
  const { part, cluster } = largest
  // A limit is asked of one sequence, which is the soonest; memory decides about others, which replicas may need.
  const sequences = maxStepSeconds === undefined ? 'max' : 1
  const asked = phase === 'prefill' ? part.prefillProblem(1) : part.generateProblem(sequences)
  const workload = maxStepSeconds === undefined ? asked.workload : { ...asked.workload, maxStepSeconds }
  const reasons = within(patience, shares.search, shares.reasons)
  // What would help is asked of the whole deployment, not of this one instance.
  const own: Patience = (share) => (share < shares.suggestions ? reasons(share) : () => true)
  return infer({ ...problem, cluster, workload } as PhaseProblem, solver, own).infeasible
}
