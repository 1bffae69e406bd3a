/** The model that a request means, and what comes with it. */
import type { Checkpoint } from '../../../src/model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../../src/model/transformer.ts'

export interface ResolvedModel {
  readonly transformer: Transformer
  /** What is released of it, as far as is known, the first for want of another wish: the defaults of `precision` in inference. */
  readonly checkpoints: readonly Checkpoint[]
  readonly warnings: readonly string[]
}
