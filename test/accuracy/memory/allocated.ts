/**
 * The most that the tensors of a training run took on a chip at once (PyTorch's max_memory_allocated), and the prediction for it: the
 * arrays of a stage, without the reserve, which is for what a process, its allocator and NCCL hold beside tensors.
 */
import { stageBytes } from '../../../src/cost/memory/stage-memory.ts'
import { evaluatedTrial } from '../../../src/evaluate.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import type { Bytes } from '../../../src/units.ts'
import {
  catalogueModel,
  ownConstants,
  type PublishedLayout,
  problemOf,
  publishedRows,
  sketchOf,
} from '../training/run.ts'

export interface AllocatedMemory extends PublishedLayout {
  readonly memoryBytes: Bytes
  /** The figure is that of a chip on the last stage, not on the fullest. */
  readonly lastStage?: true
  /** Both sums of the residual stream had a mask of one byte an element, which no plan has. */
  readonly dropout?: true
}

export function allocatedMemory(): readonly AllocatedMemory[] {
  return publishedRows('allocated-memory')
}

/** Null where the layout cannot be expressed. */
export function predictedAllocation(row: AllocatedMemory): Bytes | null {
  // None of the runs has --tp-comm-overlap, whose buffers would be no arrays (fixtures/measurements/README.md).
  const problem = problemOf(row, { ...ownConstants(row), userBuffers: false })
  const trial = problem && evaluatedTrial(problem, sketchOf(row))
  if (!trial || 'illegal' in trial) return null
  const { memory, candidate } = costing(trial.model, trial.candidate)
  const counted = candidate.groups.filter(({ last }) => last || !row.lastStage)
  const { dModel } = typeof row.model === 'string' ? catalogueModel(row.model) : row.model
  const masks = row.dropout ? 2 * (row.microbatchTokens ?? 0) * dModel : 0
  return Math.max(
    ...counted.map(
      (group) =>
        stageBytes(memory, group, candidate.mix) - memory.reserve + masks * group.layers * group.inFlight,
    ),
  )
}
