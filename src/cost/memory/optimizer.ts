/**
 * What an optimizer keeps for a parameter, and what a step reads, writes and computes (formulas 10), by its row
 * (recipe/optimizers.ts).
 *
 * Weights in a narrower type have a master copy in fp32 where the assumptions say so, whatever the type of the moments:
 * DeepSeek-V3 has fp32 master weights and gradients and bf16 moments (arXiv 2412.19437, section 3.3.3). A bf16 number is the first
 * half of an fp32 one, so that the copy of bf16 weights may be its other half alone (NVIDIA/TransformerEngine,
 * transformer_engine/pytorch/optimizers/fused_adam.py, `store_param_remainders`).
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes, usualType } from '../../recipe/element-type.ts'
import { optimizerRow } from '../../recipe/optimizer.ts'
import type { WeightKind } from '../../recipe/optimizer-row.ts'
import type { OptimizerName } from '../../recipe/optimizers.ts'
import { weightCopiesRow } from '../../recipe/weight-copies.ts'
import type { StateSharding } from '../../sharding/states.ts'
import type { Bytes, Flops } from '../../units.ts'

export interface StateBytes {
  readonly weights: Bytes
  readonly gradients: Bytes
  readonly optimizer: Bytes
}

/** Bytes per parameter, without factored moments. */
export function stateBytes(
  optimizer: OptimizerName,
  precision: Precision,
  assumptions: Assumptions,
  kind: WeightKind = 'matrix',
): StateBytes {
  const { moments, momentBytes } = optimizerRow(optimizer)
  const weights = elementBytes[precision.weights]
  const halved = assumptions.masterRemainders && precision.weights === usualType
  const copy = halved ? elementBytes.fp32 - weights : elementBytes.fp32
  const master = assumptions.masterWeights && weights < elementBytes.fp32 ? copy : 0
  return {
    weights,
    gradients: assumptions.gradientBuffer ? elementBytes[precision.gradients] : 0,
    optimizer: moments[kind] * (momentBytes ?? elementBytes[precision.optimizer]) + master,
  }
}

/**
 * Bytes of one parameter as it lies on the chip, with what matmuls in fewer bits read of a layer's matrices (recipe/weight-copies.ts). Where weights
 * are gathered in every microbatch (ZeRO-3), the shards in their own type are all that is counted.
 */
export function heldWeightBytes(
  { weights, compute }: Precision,
  { weightCopies }: Assumptions,
  kind: WeightKind,
  sharding: StateSharding,
): Bytes {
  const own = elementBytes[weights]
  const narrow = elementBytes[compute]
  if (kind !== 'matrix' || narrow >= own || sharding.weights.length > 0) return own
  const { own: kept, copies } = weightCopiesRow(weightCopies)
  const isKept = kept[sharding.optimizer.length > 0 ? 'sharded' : 'whole']
  return (isKept ? own : 0) + copies * narrow
}

/** How many times the bytes of `stateBytes` gradients take while microbatches are summed: the sum and the running one's are in fp32. */
export function summedGradients(precision: Precision, { gradientsBesideSum }: Assumptions): number {
  return gradientsBesideSum ? (2 * elementBytes.fp32) / elementBytes[precision.gradients] : 1
}

/** Bytes of each number of a factored moment, which has one for each row and one for each column; 0 where moments are whole. */
export function factorBytes(optimizer: OptimizerName, precision: Precision, kind: WeightKind): Bytes {
  const { factored, momentBytes } = optimizerRow(optimizer)
  return factored.includes(kind) ? (momentBytes ?? elementBytes[precision.optimizer]) : 0
}

/** Bytes that the update of one parameter reads and writes: states both ways, the gradient in, the weight out. */
export function updateBytes({ weights, gradients, optimizer }: StateBytes): Bytes {
  return 2 * optimizer + gradients + weights
}

/** FLOPs beyond elementwise ones, per element of a matrix. */
export function updateFlops(
  optimizer: OptimizerName,
  kind: WeightKind,
  rows: number,
  columns: number,
): Flops {
  const { matrixFlops } = optimizerRow(optimizer)
  if (!matrixFlops || kind !== 'matrix') return 0
  const [m, n] = [Math.min(rows, columns), Math.max(rows, columns)]
  return matrixFlops(m, n) / (m * n)
}
