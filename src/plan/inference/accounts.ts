/**
 * The account of an inference plan: where its step goes, and what is on a chip. These parts of the time add up to the
 * step: compute + hbm + exposedCommunication + pipelineBubble + overhead.
 */
import { reserveBytes } from '../../cost/memory/budget.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { only } from '../../inference/layout/compiled-layout.ts'
import { setShards } from '../../inference/layout/local-sizes.ts'
import { sumOf } from '../../inference/layout/local-term.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { cachedBytes } from '../../inference/pass/cached.ts'
import { rowBytes } from '../../inference/pass/pass-numbers.ts'
import { type StageLayers, stagesOf } from '../../inference/pass/stage-layers.ts'
import type { InferenceCandidate, Phase } from '../../inference/phase.ts'
import { workFlops } from '../../inference/time/floor.ts'
import { benchOf, type Workbench } from '../../inference/workbench.ts'
import type { Seconds } from '../../units.ts'
import type { Account } from '../account/account.ts'
import { communication, type Movement } from '../account/movement.ts'
import type { MemoryAccount, TimeAccount } from '../plan.ts'
import { inferenceAlgorithm, inferenceMovements, shortDerivation } from './collectives.ts'
import { type InferenceCosting, inferenceCosting, inferenceSeconds } from './costing.ts'
import { modelOn, modelUnder } from './elsewhere.ts'
import { inferenceWindows } from './windows.ts'

export interface InferenceAccount extends Account {
  /** What only inference has: components with layouts of their own. */
  readonly costed: InferenceCosting
}

export function inferenceAccount(
  model: InferenceModel,
  phase: Phase,
  candidate: InferenceCandidate,
): InferenceAccount {
  const costed = inferenceCosting(model, candidate)
  const moved = inferenceMovements(costed)
  const useful = workFlops(model.setting, phase.work(candidate.pass))
  return {
    mode: phase.mode,
    setting: model.setting,
    mesh: candidate.mesh,
    placement: candidate.placement,
    seconds: candidate.seconds,
    lowerBound: costed.lowerBound,
    upperBound: costed.upperBound,
    time: timeAccount(costed, moved),
    memory: memoryAccount(costed.bench, candidate),
    movements: moved,
    windows: inferenceWindows(costed),
    components: costed.components.map((component) => shortDerivation(costed, component).component),
    algorithm: inferenceAlgorithm(costed),
    usefulFlops: useful,
    executedFlops: useful,
    tokens: phase.tokens(candidate.pass),
    secondsOn: (cluster) => secondsOn(model, candidate, cluster),
    secondsUnder: (assumptions) => heldSeconds(modelUnder(model, assumptions), candidate),
    costed,
  }
}

/** What a candidate has on a chip, where nothing else is asked of it. */
export function inferenceMemory(model: InferenceModel, candidate: InferenceCandidate): MemoryAccount {
  const bench = benchOf(model)
  setShards(bench.sizes, candidate.mesh)
  return memoryAccount(bench, candidate)
}

/** Step time by another model, with all choices of the candidate kept. */
function heldSeconds(other: InferenceModel, candidate: InferenceCandidate): Seconds {
  const costs = other.prices.placed(candidate.placement, candidate.mesh)
  return inferenceSeconds(other, { ...candidate, costs })
}

/** On other hardware. */
export function secondsOn(model: InferenceModel, candidate: InferenceCandidate, cluster: Cluster): Seconds {
  return heldSeconds(modelOn(model, cluster), candidate)
}

function timeAccount(
  { components, resharding, beside, transfers, overhead }: InferenceCosting,
  moved: readonly Movement[],
): TimeAccount {
  const sum = (part: (component: InferenceCosting['components'][number]) => number) =>
    components.reduce((total, component) => total + part(component), 0)
  const compute = sum(({ busy, time }) => busy * Math.min(time.arithmetic, time.compute))
  const hbm = sum(({ busy, time }) => busy * Math.max(0, time.compute - time.arithmetic))
  const exposed = sum(({ busy, time }) => busy * (time.expected - time.compute))
  const waiting = sum(({ times, busy, time }) => (times - busy) * time.expected)
  return {
    compute,
    hbm,
    communication: communication(moved),
    hostTransfer: 0,
    pipelineBubble: waiting,
    rematerialization: 0,
    optimizer: 0,
    overhead,
    exposedCommunication: Math.max(0, exposed + beside + resharding + transfers),
  }
}

function memoryAccount(bench: Workbench, { pass, layouts, answer, mesh }: InferenceCandidate): MemoryAccount {
  const { setting, sizes } = bench
  const caches = cachedBytes(sizes, mesh, pass, only(layouts))
  const on = (counts: StageLayers) => {
    let [weights, kvCache] = [0, 0]
    layouts.forEach((layout, index) => {
      if (index === 0) weights += rowBytes(bench, mesh, layout)
      const layers = counts[index] ?? 0
      weights += layers * sumOf(layout.stored, sizes)
      kvCache += layers * (caches[index]?.[0] ?? 0)
    })
    return { weights, kvCache }
  }
  const { weights, kvCache } = stagesOf(bench, mesh.pipeline)
    .map(on)
    .reduce((most, own) => (own.weights + own.kvCache > most.weights + most.kvCache ? own : most))
  const reserve = reserveBytes(setting)
  return {
    budget: setting.memoryBudget,
    total: answer.bytes + reserve,
    parameters: weights,
    gradients: 0,
    optimizer: 0,
    activations: 0,
    kvCache,
    workspace: answer.bytes - weights - kvCache,
    reserve,
    host: 0,
    stage: mesh.pipeline - 1,
  }
}
