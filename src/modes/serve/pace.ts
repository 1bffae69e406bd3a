/**
 * How fast sequences go on that are generated together: what a step takes, and what each token of one of them takes.
 *
 *   without drafts   both are the time of the model's step
 *   with k drafts    a step of k + 1 positions and k steps of the draft, which give E tokens (inference/speculation)
 *
 * Both grow with the batch, and per sequence both fall, as the model's step and the draft's do.
 */
import type { InferenceModel } from '../../inference/model.ts'
import type { Site } from '../../inference/phase.ts'
import { draftSteps } from '../../inference/speculation/draft-step.ts'
import { bestSpeculation } from '../../inference/speculation/speculation.ts'
import { remembered } from '../../known.ts'
import type { GenerateWorkload } from '../../problem.ts'
import type { Seconds } from '../../units.ts'

export interface Pace {
  readonly stepSeconds: Seconds
  readonly tokenSeconds: Seconds
}

/** By the number of sequences. `modelSeconds` are those of the model's step, on so many new positions of each. */
export function paceAt(
  model: InferenceModel,
  site: Site,
  workload: GenerateWorkload,
  modelSeconds: (batch: number, positions: number) => Seconds,
): (batch: number) => Pace {
  const { speculative } = workload
  if (!speculative) {
    return remembered((batch) => {
      const seconds = modelSeconds(batch, 1)
      return { stepSeconds: seconds, tokenSeconds: seconds }
    })
  }
  const { acceptance, tokens, draft } = speculative
  const drafting = draftSteps(model, site, workload, draft, (batch) => modelSeconds(batch, 1))
  return remembered((batch) => {
    const { stepSeconds, secondsPerToken } = bestSpeculation({
      acceptance,
      tokens,
      draftSeconds: drafting(batch),
      targetSeconds: (positions) => modelSeconds(batch, positions),
    })
    return { stepSeconds, tokenSeconds: secondsPerToken }
  })
}
