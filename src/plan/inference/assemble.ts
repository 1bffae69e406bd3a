/** Costs and explains an inference candidate: the plan as it is answered. */
import type { Solver } from '../../../solvers/linear-program.ts'
import { present } from '../../fields.ts'
import { longestAlone } from '../../inference/longest.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { InferenceCandidate, Phase } from '../../inference/phase.ts'
import { floorSeconds } from '../../inference/time/floor.ts'
import { draftsOf, speculativeOf } from '../../launch/server/drafts.ts'
import { inferenceLaunch } from '../../launch/serving.ts'
import { rowOf } from '../../modes/phases.ts'
import { unscheduled } from '../../recipe/schedule.ts'
import { chooseLayouts } from '../../search/component-layout/program.ts'
import { replicasOf } from '../../sharding/axis.ts'
import { plainContext } from '../../sharding/tables/context-layout.ts'
import { fieldsNamed } from '../../sharding/tables/inference-layout-fields.ts'
import { phaseBinding } from '../explain/binding.ts'
import { bytesText } from '../explain/figures.ts'
import type { InferencePlan } from '../inference-plan.ts'
import { outline } from '../outline.ts'
import type { MemoryAccount } from '../plan.ts'
import { withRunTimes } from '../run-times.ts'
import { inferenceAccount } from './accounts.ts'
import { choicesOf } from './choices.ts'
import type { InferenceCosting } from './costing.ts'
import { inferenceExplanation } from './explanation.ts'
import { withLateNotes } from './late-launches.ts'
import { redundantExperts } from './redundant-experts.ts'

/** Without a solver, `layoutProvenBest` is null. */
export function assembleInference(...asked: Assembling): InferencePlan {
  const { plan, launch, account } = described(...asked)
  const [, { workload }] = asked
  return {
    ...plan,
    launch: withLateNotes(withRunTimes(launch, account), rowOf(workload).limitSeconds(workload)),
  }
}

/** A phase of a server that is launched for both: its times under each framework alone are not asked for. */
export function assembleUnlaunched(...asked: Assembling): InferencePlan {
  return { ...described(...asked).plan, launch: {} }
}

type Assembling = readonly [
  model: InferenceModel,
  phase: Phase,
  candidate: InferenceCandidate,
  rank: number,
  solver: Solver | null,
]

/**
 * How servers of a phase are told to run a candidate with so much memory, without the times that they take. `draftTokens` are those of the plan, where
 * the request does not say how many.
 */
export function phaseLaunch(
  { setting }: InferenceModel,
  phase: Phase,
  candidate: InferenceCandidate,
  memory: MemoryAccount,
  draftTokens?: number,
): InferencePlan['launch'] {
  const {
    mode,
    positions: contextLength,
    transfers = false,
    maxSequences,
    longestPositions,
    workload,
  } = phase
  const { speculative = speculativeOf(workload) } = phase
  const drafts = draftsOf(setting.model, speculative, draftTokens ?? speculative?.tokens)
  const told = present({ maxSequences, longestPositions, drafts })
  return inferenceLaunch(setting, candidate, mode, { contextLength, memory, transfers, ...told })
}

function described(...[model, phase, candidate, rank, solver]: Assembling) {
  const account = inferenceAccount(model, phase, candidate)
  const { costed, memory, time } = account
  const { setting } = model
  const { mesh, pass, seconds } = candidate
  const { id, summary, names } = choicesOf(model, candidate)
  const row = rowOf(phase.workload)
  const fields = row.fields(costed.bench, phase.workload, candidate)
  const { longestPositions = longestAlone(costed.bench, candidate, phase.positions) } = phase
  const launch = phaseLaunch(
    model,
    { ...phase, longestPositions },
    candidate,
    memory,
    fields.speculation?.draftTokens,
  )
  const { told, bound, busiest } = outline(account, names, launch, (shortBytes) => {
    return `a chip is over the memory budget by ${bytesText(shortBytes)}`
  })
  const batchSequences = pass.resident.sequences
  const plan = {
    rank,
    id,
    summary,
    ...told,
    ...phaseBinding(time, bound, busiest),
    zeroStage: 0,
    contextLayout: mesh.context > 1 ? plainContext : null,
    microbatches: pass.units,
    microbatchTokens: pass.shape.sequences * pass.unitPositions,
    pipelineSchedule: mesh.pipeline > 1 ? 'in-flight' : unscheduled.name,
    virtualStages: 1,
    stageLayers: stageLayers(setting.model.layers, mesh.pipeline),
    rematerialization: [],
    memoryPolicy: null,
    stagePartition: null,
    tokensPerSecondPerUser: account.tokens / seconds / batchSequences,
    globalBatchSequences: paddedSequences(candidate),
    paddingFraction: 1 - batchSequences / paddedSequences(candidate),
    batchSequences,
    floorSeconds: floorSeconds(setting, phase.work(pass)),
    streaming: streaming(costed),
    reshardingSeconds: costed.resharding,
    layoutProvenBest: told.feasible && solver ? provenBest(candidate, solver) : null,
    redundantExperts: redundantExperts(setting, mesh, fieldsNamed(names.experts ?? '')?.places ?? null),
    twoBatchOverlap: pass.halves === 2,
    ...fields,
  }
  return { plan: { ...plan, explanation: inferenceExplanation(plan, row) }, launch, account }
}

/** Whether the component-layout programme finds nothing faster than the search did; null if it does not prove its answer. */
function provenBest({ questions, answer }: InferenceCandidate, solver: Solver): boolean | null {
  const found = chooseLayouts(questions(), solver)
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

function stageLayers(layers: number, stages: number): readonly number[] {
  const most = Math.ceil(layers / stages)
  const few = most * stages - layers
  return Array.from({ length: stages }, (_, stage) => (stage >= stages - few ? most - 1 : most))
}

/** Sequences, including those that pad the last group and replica. */
function paddedSequences({ pass, mesh }: InferenceCandidate): number {
  const replicas = replicasOf(mesh)
  return pass.groups * Math.ceil(pass.shape.sequences / replicas) * replicas
}
