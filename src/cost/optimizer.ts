/**
 * What an optimizer keeps for a parameter, and what a step reads, writes and computes (formulas 10).
 *
 *   adamw      two moments in the optimizer's precision
 *   adam8bit   two moments of one byte, and an fp32 scale for each block of 2048 of them
 *              Dettmers et al. 2021 (arXiv 2110.02861), section 2; embeddings too, which the paper leaves in fp32
 *   momentum   one moment                       sgd   none
 *   adafactor  no first moment; the second one factored into a number for each row and column of a matrix; whole for
 *              vectors. Shazeer and Stern 2018 (arXiv 1804.04235), sections 3 and 4
 *   muon       one moment for matrices; embedding, unembedding and vectors are AdamW's. An update is orthogonalised by
 *              five Newton-Schulz steps, for m x n with m <= n of 4·m²·n + 2·m³ FLOPs each, in bf16. Jordan et al. 2024,
 *              "Muon: An optimizer for hidden layers in neural networks"; Liu et al. 2025 (arXiv 2502.16982), section 2
 *
 * Muon's matrices are dealt out whole over the chips that shard its states, each of which orthogonalises its share: that
 * they are gathered for it, and that a share is a whole number of matrices, is not charged.
 *
 * A master copy in fp32 is kept beside weights of less, where the assumptions say so, whatever the moments are kept in:
 * DeepSeek-V3 has fp32 master weights and gradients and bf16 moments (arXiv 2412.19437, section 3.3.3).
 */
import type { Assumptions } from '../assumptions.ts'
import type { OptimizerName, Precision } from '../problem.ts'
import type { Bytes, Flops } from '../units.ts'
import { elementBytes } from './element.ts'

/** Matrices of a layer; embedding and unembedding; norms and learned positions. */
export type WeightKind = 'matrix' | 'table' | 'vector'

const blockSize = 2048
const scaleBytes = 4

interface Moments {
  readonly matrix: number
  readonly table: number
  readonly vector: number
}

const alike = (count: number): Moments => ({ matrix: count, table: count, vector: count })

/** Moments that have as many elements as the weight. */
const moments: Readonly<Record<OptimizerName, Moments>> = {
  adamw: alike(2),
  adam8bit: alike(2),
  momentum: alike(1),
  muon: { ...alike(2), matrix: 1 },
  sgd: alike(0),
  adafactor: { ...alike(0), vector: 1 },
}

export interface StateBytes {
  readonly weights: Bytes
  readonly gradients: Bytes
  readonly optimizer: Bytes
}

/** Bytes per parameter, factored moments apart. */
export function stateBytes(
  optimizer: OptimizerName,
  precision: Precision,
  assumptions: Assumptions,
  kind: WeightKind = 'matrix',
): StateBytes {
  const weights = elementBytes[precision.weights]
  const moment = optimizer === 'adam8bit' ? 1 + scaleBytes / blockSize : elementBytes[precision.optimizer]
  const master = assumptions.masterWeights && weights < 4 ? 4 : 0
  return {
    weights,
    gradients: assumptions.gradientBuffer ? elementBytes[precision.gradients] : 0,
    optimizer: moments[optimizer][kind] * moment + master,
  }
}

/** Bytes of each number of a factored moment: one for each row and one for each column; 0 where moments are whole. */
export function factorBytes(optimizer: OptimizerName, precision: Precision, kind: WeightKind): Bytes {
  return optimizer === 'adafactor' && kind !== 'vector' ? elementBytes[precision.optimizer] : 0
}

/** Bytes that the update of one parameter reads and writes: states both ways, gradient in, weight out. */
export function updateBytes({ weights, gradients, optimizer }: StateBytes): Bytes {
  return 2 * optimizer + gradients + weights
}

const newtonSchulzSteps = 5

/** FLOPs beyond elementwise ones, per element of a matrix. */
export function updateFlops(
  optimizer: OptimizerName,
  kind: WeightKind,
  rows: number,
  columns: number,
): Flops {
  if (optimizer !== 'muon' || kind !== 'matrix') return 0
  const [m, n] = [Math.min(rows, columns), Math.max(rows, columns)]
  return (newtonSchulzSteps * (4 * m * m * n + 2 * m ** 3)) / (m * n)
}
