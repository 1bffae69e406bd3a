/**
 * What the best plan of a phase owes to each resource, as for training (plan/sensitivity.ts). The batch is held, also where it
 * is as large as memory allows: more memory is worth only what faster layouts it has room for.
 */
import type { InferenceModel } from '../../inference/model.ts'
import { repricedCandidate, repricedInference } from '../../inference/repriced.ts'
import type { InferenceCandidate } from '../../inference/search.ts'
import { bestLayouts } from '../../search/component-layout.ts'
import type { Bytes, Seconds } from '../../units.ts'
import { elasticities } from '../elasticities.ts'
import { type Chosen, memoryQuotient, nextMemoryStep } from '../memory-step.ts'
import type { Sensitivity } from '../plan.ts'
import { inferenceCosting } from './costing.ts'

export function inferenceSensitivity(model: InferenceModel, best: InferenceCandidate): Sensitivity {
  const { cluster, memoryBudget } = model.setting
  const { question, answer, seconds } = best
  const fixed = memoryBudget - question.budget
  const chosenWithin = (budget: Bytes): Chosen | null => {
    const chosen = bestLayouts({ ...question, budget: budget - fixed })
    return chosen && { bytes: chosen.bytes + fixed, seconds: seconds - answer.seconds + chosen.seconds }
  }
  const memoryStep = nextMemoryStep({ budget: memoryBudget, seconds }, chosenWithin)
  return {
    ...elasticities(cluster, (changed) => {
      const other = repricedInference(model, changed)
      return stepSeconds(other, repricedCandidate(other, best))
    }),
    memory: memoryQuotient(memoryBudget, seconds, memoryStep),
    memoryStep,
  }
}

function stepSeconds(model: InferenceModel, candidate: InferenceCandidate): Seconds {
  const { components, resharding, beside, transfers, overhead } = inferenceCosting(model, candidate)
  return (
    components.reduce((sum, { times, time }) => sum + times * time.expected, 0) +
    resharding +
    beside +
    transfers +
    overhead
  )
}
