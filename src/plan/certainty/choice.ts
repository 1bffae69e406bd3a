/**
 * Which of the near-best plans to take when constants are uncertain. Each is costed under up to 200 draws of the
 * constants (calibration/draws.ts), and judged by its regret: how much longer it takes than the best of them under the
 * same draw.
 */
import { draws } from '../../calibration/draws.ts'
import type { CostModel } from '../../cost/model.ts'
import { reassumed } from '../../cost/reassumed.ts'
import type { Stop } from '../../patience.ts'
import type { Candidate } from '../../search/layouts/candidate.ts'
import type { Seconds } from '../../units.ts'
import { stepSeconds } from '../account/costing.ts'

export type Choice = Readonly<ReturnType<typeof choiceOf>>

export interface Chosen {
  readonly candidate: Candidate
  readonly choice: Choice
}

/** How many plans are compared: the fastest under the constants as assumed. */
export const nearBest = 16

const mostDraws = 200

/** Plans by ascending regret; null if there was no time for a single draw. */
export function chosen(
  candidates: readonly Candidate[],
  modelOf: (candidate: Candidate) => CostModel,
  stop: Stop,
): readonly Chosen[] | null {
  const [first] = candidates
  if (!first) return null
  const models = new Map<CostModel, readonly Candidate[]>()
  for (const candidate of candidates) {
    const model = modelOf(candidate)
    models.set(model, [...(models.get(model) ?? []), candidate])
  }
  const times = new Map<Candidate, Seconds[]>(candidates.map((candidate) => [candidate, []]))
  let count = 0
  for (const constants of draws(mostDraws, modelOf(first).problem.assumptions)) {
    if (stop()) break
    for (const [model, own] of models) {
      const drawn = reassumed(model, constants)
      for (const candidate of own) times.get(candidate)?.push(stepSeconds(drawn, candidate))
    }
    count++
  }
  if (count === 0) return null
  const best = Array.from({ length: count }, (_, draw) =>
    Math.min(...candidates.map((candidate) => times.get(candidate)?.[draw] ?? Number.POSITIVE_INFINITY)),
  )
  return candidates
    .map(
      (candidate): Chosen => ({
        candidate,
        choice: choiceOf(times.get(candidate) ?? [], best, candidates.length),
      }),
    )
    .sort((a, b) => a.choice.expectedRegret - b.choice.expectedRegret)
}

/** Of one plan: how often it is the fastest, its regret on average and at the 90th percentile, and its mean step. */
function choiceOf(seconds: readonly Seconds[], best: readonly Seconds[], among: number) {
  const regrets = seconds.map((own, draw) => own / (best[draw] ?? own) - 1)
  const sorted = [...regrets].sort((a, b) => a - b)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    chanceBest: regrets.filter((regret) => regret === 0).length / regrets.length,
    expectedRegret: mean(regrets),
    p90Regret: sorted[Math.ceil(0.9 * sorted.length) - 1] ?? 0,
    expectedStepSeconds: mean(seconds),
    draws: regrets.length,
    among,
  }
}
