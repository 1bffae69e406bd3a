/**
 * Numbers of the average layer, and of the layers that a stage has: a stage of n_d dense and n_s sparse ones has, per layer of its L,
 *
 *   x = (n_d·x_d + n_s·x_s) / L
 *
 * as everything that layers compute, move and hold adds up. Where all layers of a model are alike, so are its stages.
 */
import type { Composition } from '../../model/composition.ts'
import type { StageGroup } from '../step/stages.ts'

/** Something of a layer of each kind. */
export interface Kinds<Of> {
  readonly dense: Of
  readonly sparse: Of
}

export function ofKinds<Kind, Of>({ dense, sparse }: Kinds<Kind>, of: (kind: Kind) => Of): Kinds<Of> {
  return { dense: of(dense), sparse: of(sparse) }
}

export interface Composed<Numbers> {
  /** The numbers for a stage's own layers; absent where all stages are alike. */
  readonly of?: (composition: Composition) => Numbers
}

/** The numbers for a stage: of its own layers where these differ, else the average. */
export function ofStage<Numbers extends Composed<Numbers>>(
  numbers: Numbers,
  { composition }: StageGroup,
): Numbers {
  return composition && numbers.of ? numbers.of(composition) : numbers
}

export function blend({ layers, dense, sparse }: Composition, ofDense: number, ofSparse: number): number {
  return (dense * ofDense + sparse * ofSparse) / layers
}
