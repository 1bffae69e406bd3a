/** The model that a request means, with its checkpoints and warnings. */
import type { Checkpoint } from '../../../src/model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../../src/model/transformer.ts'

export interface ResolvedModel {
  readonly transformer: Transformer
  /** Known released checkpoints, which set the defaults of `precision` in inference; the first unless the request asks for another. */
  readonly checkpoints: readonly Checkpoint[]
  readonly warnings: readonly string[]
}
