/** What there is to know of an optimizer. */
import type { Bytes, Flops } from '../units.ts'

/** Matrices of a layer; embedding and unembedding; norms and learned positions. */
export const weightKinds = ['matrix', 'table', 'vector'] as const

export type WeightKind = (typeof weightKinds)[number]

export interface OptimizerRow {
  readonly name: string
  /** Moments that have as many elements as the weight. */
  readonly moments: Readonly<Record<WeightKind, number>>
  /** Bytes of an element of a moment with its scales; null where they are in the type that the request has for them. */
  readonly momentBytes: Bytes | null
  /** Kinds of weights that have one more moment, kept as a number for each row and one for each column. */
  readonly factored: readonly WeightKind[]
  /** What the update of an m x n matrix of a layer takes beyond elementwise FLOPs, m <= n. */
  readonly matrixFlops: ((m: number, n: number) => Flops) | null
  /** What is taken to be so and not charged, told with every answer. */
  readonly caution: string | null
  /** Where nothing fits and this would, what makes it smaller; null where nobody is told to change to it. */
  readonly smaller: string | null
}
