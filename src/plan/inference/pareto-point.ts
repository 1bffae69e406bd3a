/**
 * A candidate of the frontier as a point: its numbers, and a sketch of its plan that /evaluate takes unchanged. They follow from what it chooses and
 * from its time, so that no plan is written out that is not shown.
 */
import type { InferenceModel } from '../../inference/model.ts'
import type { InferenceCandidate, Phase } from '../../inference/phase.ts'
import { tokenRates } from '../account/token-rates.ts'
import type { ParetoPoint } from '../inference-plan.ts'
import { choicesOf } from './choices.ts'

export function paretoPoint(model: InferenceModel, phase: Phase, candidate: InferenceCandidate): ParetoPoint {
  const { setting } = model
  const { mesh, pass, seconds } = candidate
  const { id, summary, placement, names } = choicesOf(model, candidate)
  const tokens = phase.tokens(pass)
  const rates = tokenRates({ mode: phase.mode, setting, seconds, tokens })
  const { tokensPerSecondPerChip, costPerMillionTokensUsd, costedTokens } = rates
  const batchSequences = pass.resident.sequences
  return {
    id,
    summary,
    batchSequences,
    stepTimeSeconds: seconds,
    tokensPerSecondPerUser: tokens / seconds / batchSequences,
    tokensPerSecondPerChip,
    chipSecondsPerToken: 1 / tokensPerSecondPerChip,
    costPerMillionTokensUsd,
    costedTokens,
    chips: setting.cluster.chips / mesh.data,
    plan: { mesh, placement, layout: names, batchSequences, microbatches: pass.units },
  }
}
