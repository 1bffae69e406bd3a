/** A plan of inference on other hardware of the same shape, all that it chose held. */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { repricedCandidate, repricedInference } from '../../inference/repriced.ts'
import type { InferenceCandidate } from '../../inference/search.ts'
import type { Seconds } from '../../units.ts'
import { inferenceCosting } from './costing.ts'

export function secondsOn(model: InferenceModel, candidate: InferenceCandidate, cluster: Cluster): Seconds {
  const other = repricedInference(model, cluster)
  const { components, resharding, beside, transfers, overhead } = inferenceCosting(
    other,
    repricedCandidate(other, candidate),
  )
  return (
    components.reduce((sum, { times, time }) => sum + times * time.expected, 0) +
    resharding +
    beside +
    transfers +
    overhead
  )
}
