/**
 * How the best plan of a phase depends on each resource, as for training (plan/sensitivity/sensitivity.ts). The batch
 * is kept even if it is as large as memory allows, so that more memory helps only through faster layouts that it has
 * room for.
 */
import { reserveBytes } from '../../cost/memory/memory.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { bestLayouts } from '../../search/component-layout/best-layouts.ts'
import type { Bytes } from '../../units.ts'
import type { Sensitivity } from '../answer.ts'
import { elasticities } from '../sensitivity/elasticities.ts'
import { type Chosen, memoryQuotient, nextMemoryStep } from '../sensitivity/memory-step.ts'
import { inferenceSecondsOn } from './accounts.ts'

export function inferenceSensitivity(model: InferenceModel, best: InferenceCandidate): Sensitivity {
  const { cluster, memoryBudget } = model.setting
  const { question, answer, seconds } = best
  const fixed = memoryBudget - reserveBytes(model.setting) - question.budget
  const chosenWithin = (bytes: Bytes): Chosen | null => {
    const chosen = bestLayouts({ ...question, budget: bytes - fixed })
    return chosen && { bytes: chosen.bytes + fixed, seconds: seconds - answer.seconds + chosen.seconds }
  }
  const memoryStep = nextMemoryStep(model.setting, seconds, chosenWithin)
  return {
    ...elasticities(cluster, (changed) => inferenceSecondsOn(model, best, changed)),
    memory: memoryQuotient(memoryBudget, seconds, memoryStep),
    memoryStep,
  }
}
