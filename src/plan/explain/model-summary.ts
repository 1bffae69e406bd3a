/** The request's model in a few numbers. Cache bytes per token are the mean over a sequence, as attention windows keep only a part. */
import { trainFlopsPerToken } from '../../model/flops.ts'
import { kvCacheBytesPerToken } from '../../model/kv-cache.ts'
import { parameterCount } from '../../model/parameters.ts'
import type { Setting } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { ModelSummary } from '../answer.ts'

export function modelSummary(
  { model, assumptions, precision }: Setting,
  sequenceLength: number,
): ModelSummary {
  const count = parameterCount(model)
  return {
    name: model.name,
    parameters: count.total,
    activeParameters: count.active,
    trainFlopsPerToken: trainFlopsPerToken(model, sequenceLength, assumptions.attentionFlops),
    kvCacheBytesPerToken: kvCacheBytesPerToken(model, elementBytes[precision.kvCache], sequenceLength),
  }
}
