/** The model that a request means, and what comes with it. */
import type { ElementType } from '../../src/hardware/chip.ts'
import type { Transformer } from '../../src/model/transformer.ts'

export interface ResolvedModel {
  readonly transformer: Transformer
  /** What its weights are stored in, where it says so: the default of `precision.weights`. */
  readonly weights?: ElementType
  readonly warnings: readonly string[]
}
