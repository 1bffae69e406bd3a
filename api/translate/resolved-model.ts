/** The model that a request means, and what comes with it. */
import type { Checkpoint } from '../../src/model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../src/model/transformer.ts'

export interface ResolvedModel {
  readonly transformer: Transformer
  /** What it says of its numbers, if anything: the defaults of `precision` in inference. */
  readonly checkpoint?: Checkpoint
  readonly warnings: readonly string[]
}
