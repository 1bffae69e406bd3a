/** Serving in one page: rates and objectives in, ranked deployments out. */

import { infer } from './infer.ts'
import { inferenceModel } from './inference/model.ts'
import { bestDeployments, type ServeSpace } from './inference/serving/deployments.ts'
import { type InstanceSize, instanceSize } from './inference/serving/phases.ts'
import { instanceClusters } from './inference/serving/pool.ts'
import { type Requests, requestsOf } from './inference/serving/requests.ts'
import { kvCacheBytes } from './model/kv-cache.ts'
import type { Solvers } from './optimize.ts'
import { endless, type Patience, type Stop, shares, within } from './patience.ts'
import { assembled, unshown } from './plan/assembled.ts'
import type { InferenceNoPlan, ServeAnswer } from './plan/inference-plan.ts'
import { modelSummary } from './plan/model-summary.ts'
import { assembleServe } from './plan/serve/assemble.ts'
import { serveNoPlan } from './plan/serve/no-plan.ts'
import { serveWarnings } from './plan/serve/warnings.ts'
import type { InferenceProblem, ServeWorkload } from './problem.ts'
import { elementBytes } from './recipe/element-type.ts'

type ServeProblem = InferenceProblem<ServeWorkload>

/** With no end to the time there is, exact; else the best so far, as in training (optimize.ts). */
export function serve(problem: ServeProblem, solvers: Solvers, patience: Patience = endless): ServeAnswer {
  const { model, precision, workload } = problem
  const { promptLength, outputLength } = workload
  const cache = kvCacheBytes(model, promptLength, elementBytes[precision.kvCache])
  const requests = requestsOf(workload, cache)
  const space = spaceOf(problem)
  const found = bestDeployments(space, requests, patience(shares.search))
  const { deployments, enumerated, evaluated, unexamined } = found
  const [best] = deployments
  const rival = rivalOf(space, requests, best?.pair.disaggregated, patience(shares.frontier))
  const plans = assembled(
    deployments,
    (deployment, rank) =>
      assembleServe(deployment, requests, rank, solvers.small, rank === 1 ? rival : undefined),
    patience(shares.plans),
  ).flatMap((plan) => plan ?? [])
  return {
    plans,
    search: {
      enumerated,
      pruned: enumerated - evaluated - unexamined,
      evaluated,
      infeasible: { memory: 0, divisibility: 0, topology: 0, constraint: 0 },
      unexamined,
      lowerBoundSeconds: null,
      gap: best && unexamined > 0 ? provenGap(best.score, found.floor) : null,
      exact: unexamined === 0,
    },
    infeasible:
      plans.length > 0 || unexamined > 0 ? null : nothing(problem, space, requests, solvers, patience),
    model: modelSummary(problem, promptLength + outputLength),
    hardware: problem.cluster,
    precision,
    assumptions: problem.assumptions,
    warnings: [...unshown(deployments.length, plans.length), ...serveWarnings(problem, plans[0] ?? null)],
  }
}

/** In chips, where a rate is asked for: what the best takes over the fewest that any may take. Else nothing is proven. */
function provenGap(score: number, floor: number): number | null {
  const least = Math.min(score, floor)
  return least > 0 ? score / least - 1 : null
}

/** Sizes of another pool of the same problem are looked up before they are made. */
function spaceOf(problem: ServeProblem, known: readonly InstanceSize[] = []): ServeSpace {
  const { cluster, workload, top } = problem
  const pooled = inferenceModel(problem)
  const keys = new Map(known.map((size) => [JSON.stringify(size.cluster), size]))
  const sizes = instanceClusters(cluster).map(
    (part) => keys.get(JSON.stringify(part)) ?? instanceSize(problem, pooled, part),
  )
  return { pool: cluster, sizes, disaggregated: workload.disaggregated, top }
}

/** The best of the other kind, where both were open and there was time to see. */
function rivalOf(space: ServeSpace, requests: Requests, won: boolean | undefined, stop: Stop) {
  if (won === undefined || space.disaggregated !== 'auto' || stop()) return undefined
  const other = bestDeployments({ ...space, disaggregated: !won, top: 1 }, requests, stop)
  return other.deployments[0] ?? (other.unexamined > 0 ? undefined : null)
}

function nothing(
  problem: ServeProblem,
  space: ServeSpace,
  requests: Requests,
  solvers: Solvers,
  patience: Patience,
): ServeAnswer['infeasible'] {
  const { precision, memoryBudget } = problem
  const stop = patience(shares.suggestions)
  return serveNoPlan({
    problem,
    requests,
    stop,
    best: (changed, other) => {
      if (stop()) return null
      const alike = other?.precision === precision && other.memoryBudget === memoryBudget
      const where = other ? spaceOf(other, alike ? space.sizes : []) : space
      return bestDeployments({ ...where, top: 1 }, changed, stop).deployments[0] ?? null
    },
    planOf: (deployment) => assembleServe(deployment, requests, 0, solvers.small),
    wholePool: (phase, maxStepSeconds) => wholePool(problem, space, solvers, patience, phase, maxStepSeconds),
    fastestPrefill: () => {
      const all = space.sizes.flatMap(({ prefills }) => prefills())
      return all.reduce<(typeof all)[number] | null>((a, b) => (a && a.seconds <= b.seconds ? a : b), null)
    },
  })
}

function wholePool(
  problem: ServeProblem,
  { sizes }: ServeSpace,
  solvers: Solvers,
  patience: Patience,
  phase: 'prefill' | 'generate',
  maxStepSeconds?: number,
): InferenceNoPlan | null {
  const largest: InstanceSize | undefined = sizes.at(-1)
  if (!largest) return null
  const asked = phase === 'prefill' ? largest.prefillProblem(1) : largest.generateProblem(1)
  const workload = maxStepSeconds === undefined ? asked.workload : { ...asked.workload, maxStepSeconds }
  const { constraints } = problem
  const reasons = within(patience, shares.search, shares.reasons)
  // What would help is asked of deployments, not of this one instance.
  const own: Patience = (share) => (share < shares.suggestions ? reasons(share) : () => true)
  return infer({ ...asked, constraints, workload } as Parameters<typeof infer>[0], solvers, own).infeasible
}
