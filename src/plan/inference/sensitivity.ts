/**
 * How the best plan of a phase depends on each resource, as for training (plan/sensitivity/sensitivity.ts). The batch
 * is kept even if it is as large as memory allows, so that more memory helps only through faster layouts that it has
 * room for.
 */
import type { InferenceModel } from '../../inference/model.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { bestOfLongest } from '../../search/component-layout/longest.ts'
import type { Bytes } from '../../units.ts'
import type { Sensitivity } from '../answer.ts'
import { elasticities } from '../sensitivity/elasticities.ts'
import { type Chosen, memoryQuotient, nextMemoryStep } from '../sensitivity/memory-step.ts'
import { secondsOn } from './accounts.ts'

export function inferenceSensitivity(model: InferenceModel, best: InferenceCandidate): Sensitivity {
  const { setting } = model
  const { memoryBudget } = setting
  const { answer, seconds } = best
  const questions = best.questions()
  const chosenWithin = (bytes: Bytes): Chosen | null => {
    const chosen = bestOfLongest(questions.map((question) => ({ ...question, budget: bytes })))
    return chosen && { bytes: chosen.bytes, seconds: seconds - answer.seconds + chosen.seconds }
  }
  const memoryStep = nextMemoryStep(setting, seconds, chosenWithin)
  return {
    ...elasticities(setting.cluster, (cluster) => secondsOn(model, best, cluster)),
    memory: memoryQuotient(memoryBudget, seconds, memoryStep),
    memoryStep,
  }
}
