/** A plan of the frontier as a point: its numbers, and a sketch of the plan that /evaluate takes unchanged. */
import type { InferencePlan, ParetoPoint } from '../inference-plan.ts'

export function paretoPoint(plan: InferencePlan, chips: number): ParetoPoint {
  const { mesh, placement, layout, batchSequences, microbatches } = plan
  return {
    id: plan.id,
    summary: plan.summary,
    batchSequences,
    stepTimeSeconds: plan.stepTimeSeconds,
    tokensPerSecondPerUser: plan.tokensPerSecondPerUser,
    tokensPerSecondPerChip: plan.tokensPerSecondPerChip,
    chipSecondsPerToken: 1 / plan.tokensPerSecondPerChip,
    costPerMillionTokensUsd: plan.costPerMillionTokensUsd,
    costedTokens: plan.costedTokens,
    chips: chips / mesh.data,
    plan: { mesh, placement, layout: layout.components, batchSequences, microbatches },
  }
}
