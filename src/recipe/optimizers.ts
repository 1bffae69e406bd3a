/**
 * The optimizers, a row each; the columns are explained in optimizer-row.ts.
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
 * Muon's matrices are dealt out whole over the chips that shard its states, each of which orthogonalises its share. Gathering
 * them for it is not charged, nor that a share has to be a whole number of matrices.
 */
import type { OptimizerRow } from './optimizer-row.ts'

const alike = (count: number) => ({ matrix: count, table: count, vector: count })

/** Columns that most optimizers have in common: whole moments in the request's type, updated elementwise. */
const plain = {
  momentBytes: null,
  factored: [],
  matrixFlops: null,
  caution: null,
  smaller: null,
} as const satisfies Partial<OptimizerRow>

const blockSize = 2048
const scaleBytes = 4
const newtonSchulzSteps = 5

/** A request that names no optimizer has the first. */
export const optimizers = [
  { ...plain, name: 'adamw', moments: alike(2) },
  {
    ...plain,
    name: 'adam8bit',
    moments: alike(2),
    momentBytes: 1 + scaleBytes / blockSize,
    smaller: 'two moments of one byte per parameter instead of four each',
  },
  { ...plain, name: 'sgd', moments: alike(0) },
  { ...plain, name: 'momentum', moments: alike(1) },
  { ...plain, name: 'adafactor', moments: { ...alike(0), vector: 1 }, factored: ['matrix', 'table'] },
  {
    ...plain,
    name: 'muon',
    moments: { ...alike(2), matrix: 1 },
    matrixFlops: (m, n) => newtonSchulzSteps * (4 * m * m * n + 2 * m ** 3),
    caution:
      'Muon: matrices are taken to be dealt out whole over the chips that shard its states; gathering them is not charged',
  },
] as const satisfies readonly OptimizerRow[]

export type OptimizerName = (typeof optimizers)[number]['name']
