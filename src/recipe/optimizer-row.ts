/** The columns of the table of optimizers. */
import type { Bytes, Flops } from '../units.ts'

/** Kinds of weights: matrices of a layer; embedding and unembedding; norms and learned positions. */
export const weightKinds = ['matrix', 'table', 'vector'] as const

export type WeightKind = (typeof weightKinds)[number]

export interface OptimizerRow {
  readonly name: string
  /** Number of moments with as many elements as the weight. */
  readonly moments: Readonly<Record<WeightKind, number>>
  /** Bytes of one element of a moment, scales included; null when moments have the type that the request gives them. */
  readonly momentBytes: Bytes | null
  /** Kinds of weights with one more moment, kept as one number for each row and one for each column. */
  readonly factored: readonly WeightKind[]
  /** FLOPs of the update of an m x n matrix of a layer beyond elementwise work, m <= n; null when there are none. */
  readonly matrixFlops: ((m: number, n: number) => Flops) | null
  /** What is taken for granted and not charged, told with every answer; null when there is nothing to tell. */
  readonly caution: string | null
  /** Why this optimizer takes less memory, said where nothing fits and it would; null when nobody is told to change to it. */
  readonly smaller: string | null
}
