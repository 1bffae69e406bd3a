/**
 * The account of a training plan: where its step goes, and what is on its fullest chip.
 *
 * These parts of the time add up to the step: compute + hbm + rematerialization + exposedCommunication + pipelineBubble
 * + optimizer + overhead. `communication` and `hostTransfer` are totals, whether overlapped or not.
 */
import { costModel } from '../../cost/compiled-model.ts'
import { stageOverhead } from '../../cost/compute/overhead.ts'
import {
  activationBytes,
  fixedMemory,
  hostBytes,
  liveBytes,
  stageBytes,
} from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import { fillTime } from '../../cost/step/step.ts'
import { routerTrainFlops, trainFlops } from '../../model/flops.ts'
import type { Candidate } from '../../search/layouts/candidate.ts'
import type { Flops, Seconds } from '../../units.ts'
import type { MemoryAccount, TimeAccount } from '../plan.ts'
import type { Account } from './account.ts'
import { algorithmLines } from './algorithm.ts'
import { hostSeconds, movements, planComponents } from './collectives.ts'
import { type Costing, costing, stepSeconds } from './costing.ts'
import { modelElsewhere } from './elsewhere.ts'
import { communication, type Movement } from './movement.ts'
import { trainingWindows } from './windows.ts'
import { recomputedFlops, stageWork } from './work.ts'

export function trainingAccount(model: CostModel, candidate: Candidate): TrainingAccount {
  const costed = costing(model, candidate)
  const moved = movements(costed)
  const useful = usefulStepFlops(model)
  return {
    mode: 'train',
    setting: model.problem,
    mesh: candidate.mesh,
    placement: candidate.placement,
    seconds: costed.stepTime,
    lowerBound: costed.lowerBound,
    upperBound: costed.upperBound,
    time: timeAccount(costed, moved),
    memory: memoryAccount(costed),
    movements: moved,
    windows: trainingWindows(costed),
    components: planComponents(costed),
    algorithm: algorithmLines(costed),
    usefulFlops: useful,
    executedFlops: useful + recomputedStepFlops(costed),
    tokens: model.problem.workload.batchTokens,
    secondsOn: (changed) => stepSeconds(modelElsewhere(model, changed), candidate),
    secondsUnder: (assumptions) => {
      const other = costModel({ ...model.problem, assumptions }, model.contextLayout)
      return stepSeconds(other, candidate)
    },
    costed,
  }
}

export interface TrainingAccount extends Account {
  /** What only training has: stages, policies, schedules. */
  readonly costed: Costing
}

/**
 * The FLOPs that MFU counts: 6 per token for each parameter used in a matmul (the unembedding once; not the embedding
 * lookup, nor routers), and attention as the assumptions count it.
 */
function usefulStepFlops({ problem }: CostModel): Flops {
  const { model, workload, assumptions } = problem
  const { batchTokens, sequenceLength } = workload
  const all = trainFlops(model, batchTokens, sequenceLength, assumptions.attentionFlops).total
  // Routers are not charged any time, so their FLOPs are not counted either.
  return all - routerTrainFlops(model, batchTokens)
}

function recomputedStepFlops(costed: Costing): Flops {
  const { candidate, layers, model } = costed
  const chips = model.problem.cluster.chips / candidate.mesh.pipeline
  return recomputedFlops(costed) * layers.microbatches * chips
}

function timeAccount(costing: Costing, moved: readonly Movement[]): TimeAccount {
  const { candidate, layers, longest, model, stepTime } = costing
  const { microbatches } = layers
  const work = stageWork(costing)
  const stages = candidate.stageLayers.length
  const overhead = microbatches * 2 * stageOverhead(model, longest) + model.stepOverhead
  const compute = microbatches * work.arithmetic
  const hbm = microbatches * work.waiting
  const rematerialization = microbatches * work.recomputation
  const pipelineBubble = costing.bubbleTime + fillTime(stages, costing.traffic)
  const rest = compute + hbm + rematerialization + overhead + pipelineBubble + layers.update
  return {
    compute,
    hbm,
    communication: communication(moved),
    hostTransfer: hostSeconds(costing),
    pipelineBubble,
    rematerialization,
    optimizer: layers.update,
    overhead,
    exposedCommunication: beyondRounding(stepTime - rest, stepTime),
  }
}

/** A difference of sums within what their order makes of it is none. */
function beyondRounding(difference: Seconds, of: Seconds): Seconds {
  return difference > 1e-12 * of ? difference : 0
}

function memoryAccount({ candidate, memory, model }: Costing): MemoryAccount {
  const { groups, mix } = candidate
  const { memoryBudget } = model.problem
  const totals = groups.map((group) => stageBytes(memory, group, mix))
  const total = Math.max(...totals)
  const fullest = groups[totals.indexOf(total)] ?? groups[0]
  if (!fullest) throw new RangeError('A plan has at least one stage')
  const fixed = fixedMemory(memory, fullest)
  return {
    budget: memoryBudget,
    total,
    parameters: fixed.parameters,
    gradients: fixed.gradients,
    optimizer: fixed.optimizer,
    activations: activationBytes(memory, fullest, mix),
    kvCache: 0,
    workspace: fixed.workspace + liveBytes(memory, fullest, mix),
    reserve: fixed.reserve,
    host: Math.max(...groups.map((group) => hostBytes(memory, group, mix))),
    stage: fullest.index,
  }
}
