/** Serving in one page: rates and objectives in, ranked deployments out. */
import { elementBytes } from './cost/element.ts'
import { infer } from './infer.ts'
import { inferenceModel } from './inference/model.ts'
import { bestDeployments, type ServeSpace } from './inference/serving/deployments.ts'
import { type InstanceSize, instanceSize } from './inference/serving/phases.ts'
import { instanceClusters } from './inference/serving/pool.ts'
import { type Requests, requestsOf } from './inference/serving/requests.ts'
import { kvCacheBytes } from './model/kv-cache.ts'
import type { Solvers } from './optimize.ts'
import type { InferenceNoPlan, ServeAnswer } from './plan/inference-plan.ts'
import { modelSummary } from './plan/model-summary.ts'
import { assembleServe } from './plan/serve/assemble.ts'
import { serveNoPlan } from './plan/serve/no-plan.ts'
import { serveWarnings } from './plan/serve/warnings.ts'
import type { InferenceProblem, ServeWorkload } from './problem.ts'

type ServeProblem = InferenceProblem<ServeWorkload>

export function serve(problem: ServeProblem, solvers: Solvers): ServeAnswer {
  const { model, precision, workload } = problem
  const { promptLength, outputLength } = workload
  const cache = kvCacheBytes(model, promptLength, elementBytes[precision.kvCache])
  const requests = requestsOf(workload, cache)
  const space = spaceOf(problem)
  const { deployments, pairs, evaluated } = bestDeployments(space, requests)
  const rival = rivalOf(space, requests, deployments[0]?.pair.disaggregated)
  const plans = deployments.flatMap((deployment, index) => {
    return (
      assembleServe(deployment, requests, index + 1, solvers.small, index === 0 ? rival : undefined) ?? []
    )
  })
  return {
    plans,
    search: {
      enumerated: pairs,
      pruned: pairs - evaluated,
      evaluated,
      infeasible: { memory: 0, divisibility: 0, topology: 0, constraint: 0 },
      lowerBoundSeconds: null,
      gap: null,
      exact: true,
    },
    infeasible: plans.length > 0 ? null : nothing(problem, space, requests, solvers),
    model: modelSummary(problem, promptLength + outputLength),
    hardware: problem.cluster,
    precision,
    assumptions: problem.assumptions,
    warnings: serveWarnings(problem, plans[0] ?? null),
  }
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

/** The best of the other kind, where both were open. */
function rivalOf(space: ServeSpace, requests: Requests, won: boolean | undefined) {
  if (won === undefined || space.disaggregated !== 'auto') return undefined
  return bestDeployments({ ...space, disaggregated: !won, top: 1 }, requests).deployments[0] ?? null
}

function nothing(
  problem: ServeProblem,
  space: ServeSpace,
  requests: Requests,
  solvers: Solvers,
): ServeAnswer['infeasible'] {
  const { precision, memoryBudget } = problem
  return serveNoPlan({
    problem,
    requests,
    best: (changed, other) => {
      const alike = other?.precision === precision && other.memoryBudget === memoryBudget
      const where = other ? spaceOf(other, alike ? space.sizes : []) : space
      return bestDeployments({ ...where, top: 1 }, changed).deployments[0] ?? null
    },
    planOf: (deployment) => assembleServe(deployment, requests, 0, solvers.small),
    wholePool: (phase, maxStepSeconds) => wholePool(problem, space, solvers, phase, maxStepSeconds),
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
  phase: 'prefill' | 'generate',
  maxStepSeconds?: number,
): InferenceNoPlan | null {
  const largest: InstanceSize | undefined = sizes.at(-1)
  if (!largest) return null
  const asked = phase === 'prefill' ? largest.prefillProblem(1) : largest.generateProblem(1)
  const workload = maxStepSeconds === undefined ? asked.workload : { ...asked.workload, maxStepSeconds }
  const { constraints } = problem
  return infer({ ...asked, constraints, workload } as Parameters<typeof infer>[0], solvers).infeasible
}
