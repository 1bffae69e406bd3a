/**
 * Where a plan's step goes, and what is on its fullest chip.
 *
 * The parts of the time add up to the step: compute + hbm + rematerialization + exposedCommunication +
 * pipelineBubble + optimizer + overhead. `communication` and `hostTransfer` are all of it, overlapped or not.
 */

import { stageOverhead } from '../../cost/compute/overhead.ts'
import {
  activationBytes,
  fixedMemory,
  hostBytes,
  liveBytes,
  stageBytes,
} from '../../cost/memory/memory-numbers.ts'
import type { CollectiveLine, MemoryAccount, TimeAccount } from '../plan.ts'
import { hostSeconds } from './collectives.ts'
import type { Costing } from './costing.ts'
import { byAxis } from './movement.ts'
import { stageWork } from './work.ts'

export function timeAccount(costing: Costing, lines: readonly CollectiveLine[]): TimeAccount {
  const { candidate, layers, longest, model, stepTime } = costing
  const { microbatches } = layers
  const work = stageWork(costing)
  const stages = candidate.stageLayers.length
  const overhead = microbatches * 2 * stageOverhead(model, longest) + model.stepOverhead
  const compute = microbatches * work.arithmetic
  const hbm = microbatches * work.waiting
  const rematerialization = microbatches * work.recomputation
  const fill = Math.max(0, stages - 2) * costing.traffic.transferTime
  const pipelineBubble = costing.bubbleTime + fill
  const rest = compute + hbm + rematerialization + overhead + pipelineBubble + layers.update
  return {
    compute,
    hbm,
    communication: byAxis(lines),
    hostTransfer: hostSeconds(costing),
    pipelineBubble,
    rematerialization,
    optimizer: layers.update,
    overhead,
    exposedCommunication: Math.max(0, stepTime - rest),
  }
}

export function memoryAccount({ candidate, memory, model }: Costing): MemoryAccount {
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
