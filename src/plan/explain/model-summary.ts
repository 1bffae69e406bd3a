/** The request's model in a few numbers. Cache bytes per token are the mean over a sequence, as attention windows keep only a part. */
import { cacheElementBytes } from '../../model/cache-type.ts'
import { trainFlopsPerToken } from '../../model/flops.ts'
import { kvCacheBytesPerToken } from '../../model/kv-cache.ts'
import { parameterCount } from '../../model/parameters.ts'
import type { Setting } from '../../problem.ts'

export type ModelSummary = Readonly<ReturnType<typeof modelSummary>>

export function modelSummary({ model, assumptions, precision }: Setting, sequenceLength: number) {
  const count = parameterCount(model)
  return {
    name: model.name,
    parameters: count.total,
    activeParameters: count.active,
    trainFlopsPerToken: trainFlopsPerToken(model, sequenceLength, assumptions.attentionFlops),
    kvCacheBytesPerToken: kvCacheBytesPerToken(
      model,
      cacheElementBytes(model, precision.kvCache),
      sequenceLength,
    ),
  }
}
