/** Compares two deployments: how much more chips the second takes, and how much longer its requests. */
import { costRatio } from '../comparison.ts'
import { counted, percent, secondsText, signed, threeFigures } from '../explain/figures.ts'
import type { ServePlan } from '../inference-plan.ts'

/** The second less the first, or the second over the first for ratios, and sentences for people. */
export type ServeDifference = ReturnType<typeof serveDifference>

interface Named {
  readonly name: string
  readonly plan: ServePlan
}

export function serveDifference(first: Named, second: Named) {
  const found = apart(first.plan, second.plan)
  return { ...found, explanation: explanation(first, second, found) }
}

function apart(before: ServePlan, after: ServePlan) {
  return {
    chips: after.chips - before.chips,
    requestsPerSecondRatio: after.requestsPerSecond / before.requestsPerSecond,
    timeToFirstTokenSeconds: after.timeToFirstTokenSeconds - before.timeToFirstTokenSeconds,
    timePerOutputTokenSeconds: after.timePerOutputTokenSeconds - before.timePerOutputTokenSeconds,
    requestSeconds: after.requestSeconds - before.requestSeconds,
    tokensPerSecondPerChipRatio: after.tokensPerSecondPerChip / before.tokensPerSecondPerChip,
    costRatio: costRatio(before, after),
  }
}

function explanation(
  first: Named,
  second: Named,
  { chips, requestsPerSecondRatio }: ReturnType<typeof apart>,
): readonly string[] {
  const [before, after] = [first.plan, second.plan]
  const taken =
    chips === 0
      ? 'as many chips'
      : `${counted(after.chips, 'chip')}, ${Math.abs(chips)} ${chips > 0 ? 'more' : 'fewer'} than ${first.name}`
  const apart = Math.abs(requestsPerSecondRatio - 1)
  const sustained =
    apart < 1e-6
      ? 'as many requests'
      : `${threeFigures(after.requestsPerSecond)} requests a second, ${percent(apart)} ${requestsPerSecondRatio > 1 ? 'more' : 'fewer'}`
  const parts = [
    ['waiting', ({ queueing }: ServePlan) => queueing.waitSeconds],
    ['a prefill alone', ({ prefill }: ServePlan) => prefill.stepTimeSeconds],
    ['a step of generation', ({ generate }: ServePlan) => generate.stepTimeSeconds],
  ] as const
  const told = parts.map(([name, of]) => `${name} ${signed(of(after) - of(before), secondsText)}`)
  return [
    `${second.name} takes ${taken}, and sustains ${sustained}.`,
    `First token ${signed(after.timeToFirstTokenSeconds - before.timeToFirstTokenSeconds, secondsText)}, tokens after it ${signed(after.timePerOutputTokenSeconds - before.timePerOutputTokenSeconds, secondsText)} each: ${told.join(', ')}.`,
  ]
}
