/** A candidate of inference, costed and explained: the plan that goes out. */

import type { Solver } from '../../../solvers/linear-program.ts'
import { chipsAsked } from '../../hardware/cluster/cluster.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { InferenceCandidate, Phase } from '../../inference/search.ts'
import { floorSeconds, workFlops } from '../../inference/time/floor.ts'
import { heldPositions } from '../../launch/server/serving.ts'
import { inferenceLaunch } from '../../launch/serving.ts'
import { unscheduled } from '../../recipe/schedule.ts'
import { chooseLayouts } from '../../search/component-layout.ts'
import { replicasOf } from '../../sharding/axis.ts'
import { plainContext } from '../../sharding/tables/context-layout.ts'
import { fieldsNamed } from '../../sharding/tables/inference-layout-fields.ts'
import { activeAxes } from '../account/collectives.ts'
import { busiestNetwork, type NetworkUse, withHalf } from '../account/network-use.ts'
import { axisPlacements } from '../account/placement.ts'
import { shardingsOf } from '../account/shardings.ts'
import { tokenCost } from '../account/token-cost.ts'
import { utilization } from '../account/utilization.ts'
import { uncertaintyOf } from '../certainty/uncertainty.ts'
import { bytesText } from '../explain/figures.ts'
import { planId } from '../identity.ts'
import type { InferencePlan } from '../inference-plan.ts'
import type { Infeasibility, TimeAccount } from '../plan.ts'
import { inferenceMemoryAccount, inferenceTimeAccount } from './accounts.ts'
import { inferenceAlgorithm, inferenceMovements, restrictedLayout } from './collectives.ts'
import { type InferenceCosting, inferenceCosting } from './costing.ts'
import { inferenceExplanation } from './explanation.ts'
import { redundantExperts } from './redundant-experts.ts'
import { secondsOn } from './seconds-on.ts'

/** What generation or prefill adds to what all plans of inference have. */
export type PhaseFields = Partial<
  Pick<InferencePlan, 'maxBatchSequences' | 'criticalBatchTokens' | 'timeToFirstTokenSeconds' | 'speculation'>
>

const costedTokens = { prefill: 'prompt', generate: 'generated' } as const

export function assembleInference(
  model: InferenceModel,
  candidate: InferenceCandidate,
  rank: number,
  phase: Phase,
  own: PhaseFields,
  solver: Solver | null,
  contextLength: number = heldPositions(candidate.pass),
  transfers = false,
): InferencePlan {
  const costed = inferenceCosting(model, candidate)
  const work = phase.work(candidate.pass)
  const { setting } = model
  const { cluster } = setting
  const { mesh, pass, seconds } = candidate
  const moved = inferenceMovements(costed)
  const lines = moved.map(({ line }) => line)
  const time = inferenceTimeAccount(costed, lines)
  const memory = inferenceMemoryAccount(costed)
  const placement = axisPlacements(candidate.placement, mesh, cluster)
  const names = Object.fromEntries(costed.components.map(({ name, layout }) => [name, layout.name]))
  const useful = workFlops(setting, work)
  const busiest = busiestNetwork(cluster.network, moved)
  const paid = chipsAsked(cluster)
  const tokensPerSecond = phase.tokens(pass) / seconds
  const short = memory.total - memory.budget
  const feasible = short <= memory.budget * 1e-12
  const batchSequences = pass.resident.sequences
  const launch = inferenceLaunch(setting, candidate, phase.mode, { contextLength, memory, transfers })
  const plan = {
    rank,
    feasible,
    ...(feasible ? {} : { infeasible: [tooFull(short)] }),
    id: planId([mesh, names, placement, batchSequences, pass.units]),
    summary: summary(candidate, names),
    chips: cluster.chips,
    idleChips: paid - cluster.chips,
    mesh,
    placement,
    layout: {
      components: names,
      shardings: shardingsOf(
        costed.components.map((component) => restrictedLayout(costed, component).component),
      ),
      algorithm: inferenceAlgorithm(costed),
    },
    zeroStage: 0,
    contextLayout: mesh.context > 1 ? plainContext : null,
    microbatches: pass.units,
    microbatchTokens: pass.shape.sequences * pass.shape.positions,
    pipelineSchedule: mesh.pipeline > 1 ? 'in-flight' : unscheduled.name,
    virtualStages: 1,
    stageLayers: stageLayers(setting.model.layers, mesh.pipeline),
    rematerialization: [],
    memoryPolicy: null,
    stagePartition: null,
    stepTimeSeconds: seconds,
    lowerBoundSeconds: costed.lowerBound,
    upperBoundSeconds: costed.upperBound,
    uncertainty: uncertaintyOf(setting, phase.mode, launch, seconds),
    againstFirst: null,
    ...utilization(cluster, setting.precision, seconds)(useful, useful),
    tokensPerSecond,
    tokensPerSecondPerChip: tokensPerSecond / paid,
    tokensPerSecondPerUser: tokensPerSecond / batchSequences,
    ...tokenCost(cluster.chip, paid, tokensPerSecond, costedTokens[phase.mode]),
    paddingFraction: 1 - batchSequences / paddedSequences(candidate),
    timeSeconds: time,
    memoryBytes: memory,
    ...bottleneck(time, busiest),
    headroom: {
      communication: busiest && (time.compute + time.hbm) / busiest.seconds,
      memory: memory.budget / memory.total,
      atHalfBandwidth: busiest && {
        network: busiest.name,
        stepTimeSeconds: secondsOn(model, candidate, withHalf(cluster, busiest.name)),
      },
    },
    collectives: lines,
    batchSequences,
    floorSeconds: floorSeconds(setting, work),
    streaming: streaming(costed),
    reshardingSeconds: costed.resharding,
    layoutProvenBest: feasible && solver ? provenBest(candidate, solver) : null,
    redundantExperts: redundantExperts(setting, mesh, fieldsNamed(names.experts ?? '')?.places ?? null),
    twoBatchOverlap: pass.halves === 2,
    ...own,
  }
  return { ...plan, explanation: inferenceExplanation(plan, phase.mode), launch }
}

/** The programme finds nothing faster than what the search chose. */
function provenBest({ question, answer }: InferenceCandidate, solver: Solver): boolean | null {
  const found = chooseLayouts(question, solver)
  if (found === 'infeasible' || found === 'unsolved' || !found.proven) return null
  return answer.seconds <= found.seconds * (1 + 1e-9)
}

function streaming({ components }: InferenceCosting): InferencePlan['streaming'] {
  const sum = (part: 'weights' | 'caches' | 'activations' | 'arithmetic') =>
    components.reduce((total, { busy, time }) => total + busy * time[part], 0)
  return {
    weightsSeconds: sum('weights'),
    kvCacheSeconds: sum('caches'),
    activationsSeconds: sum('activations'),
    arithmeticSeconds: sum('arithmetic'),
  }
}

/** The largest part of the step; the busiest network too, where it is busy for longer than kernels run. */
function bottleneck(
  time: TimeAccount,
  busiest: NetworkUse | null,
): Pick<InferencePlan, 'bottleneck' | 'bottleneckDetail'> {
  const outlasts = busiest && busiest.seconds > (time.compute + time.hbm) * (1 + 1e-9)
  const parts = [
    ['compute', time.compute],
    ['hbm', time.hbm],
    ['communication', Math.max(time.exposedCommunication, outlasts ? busiest.seconds : 0)],
    ['pipelineBubble', time.pipelineBubble],
    ['overhead', time.overhead],
  ] as const
  const [bound] = parts.reduce((a, b) => (b[1] > a[1] ? b : a))
  const detail = busiest && { axis: busiest.axis, network: busiest.name }
  return { bottleneck: bound, bottleneckDetail: bound === 'communication' ? detail : null }
}

function summary({ mesh, pass }: InferenceCandidate, names: Readonly<Record<string, string>>): string {
  const sizes = activeAxes(mesh).map((axis) => `${axis} ${mesh[axis]}`)
  const layouts = Object.entries(names).map(([component, name]) => `${component} ${name}`)
  return [
    sizes.length > 0 ? sizes.join(' x ') : 'one chip',
    ...layouts,
    `batch ${pass.resident.sequences}`,
    ...(pass.halves === 2 ? ['in two halves'] : pass.units > 1 ? [`${pass.units} groups`] : []),
  ].join(', ')
}

function stageLayers(layers: number, stages: number): readonly number[] {
  const most = Math.ceil(layers / stages)
  const few = most * stages - layers
  return Array.from({ length: stages }, (_, stage) => (stage >= stages - few ? most - 1 : most))
}

/** Sequences with those that fill up the last group and replica. */
function paddedSequences({ pass, mesh }: InferenceCandidate): number {
  const replicas = replicasOf(mesh)
  return pass.groups * Math.ceil(pass.shape.sequences / replicas) * replicas
}

function tooFull(shortBytes: number): Infeasibility {
  const detail = `a chip is over the memory budget by ${bytesText(shortBytes)}`
  return { reason: 'memory', pointer: '/memoryBudget', detail, shortBytes }
}
