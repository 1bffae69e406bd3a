/**
 * Compares two plans of one mode: how much more the second takes than the first, divided among the parts of a step, of
 * memory and of cost. The parts of `timeSeconds` listed here add up to the step, so that their differences add up to
 * that of the steps.
 */
import { compact } from '../compact.ts'
import { axes } from '../sharding/axis.ts'
import { bytesText, percent, secondsText, signed } from './explain/figures.ts'
import type { MemoryAccount, Plan } from './plan.ts'

const words = {
  compute: 'arithmetic',
  hbm: 'waiting for HBM',
  rematerialization: 'computing again',
  exposedCommunication: 'waiting for communication',
  pipelineBubble: 'the bubble of the pipeline',
  optimizer: 'the optimizer',
  overhead: 'overheads',
} as const

type TimeLine = keyof typeof words

export const timeLines = Object.keys(words) as readonly TimeLine[]

export const memoryLines = [
  'parameters',
  'gradients',
  'optimizer',
  'activations',
  'kvCache',
  'workspace',
  'reserve',
] as const

type MemoryLine = (typeof memoryLines)[number]

/** The second plan less the first, or over it for ratios, and sentences for people, the largest differences first. */
export type Difference = ReturnType<typeof difference>

interface Named {
  readonly name: string
  readonly plan: Plan
}

export function difference(first: Named, second: Named) {
  const found = apart(first.plan, second.plan)
  return { ...found, explanation: explanation(first, second, found) }
}

function apart(before: Plan, after: Plan) {
  return {
    stepTimeSeconds: after.stepTimeSeconds - before.stepTimeSeconds,
    stepTimeRatio: after.stepTimeSeconds / before.stepTimeSeconds,
    timeSeconds: less(timeLines, before.timeSeconds, after.timeSeconds),
    communication: less(axes, before.timeSeconds.communication, after.timeSeconds.communication),
    memoryBytes: less([...memoryLines, 'total'], before.memoryBytes, after.memoryBytes),
    tokensPerSecondPerChipRatio: after.tokensPerSecondPerChip / before.tokensPerSecondPerChip,
    costRatio: costRatio(before, after),
  }
}

function less<Line extends string>(
  lines: readonly Line[],
  before: Readonly<Record<Line, number>>,
  after: Readonly<Record<Line, number>>,
): Readonly<Record<Line, number>> {
  return Object.fromEntries(lines.map((line) => [line, after[line] - before[line]])) as Record<Line, number>
}

/** Null if one has no price. */
export function costRatio(
  { costPerMillionTokensUsd: before }: Pick<Plan, 'costPerMillionTokensUsd'>,
  { costPerMillionTokensUsd: after }: Pick<Plan, 'costPerMillionTokensUsd'>,
): number | null {
  return before === null || after === null ? null : after / before
}

/** Least fraction of the total difference for which a part is mentioned. */
const worth = 0.05

function explanation(
  first: Named,
  second: Named,
  { stepTimeSeconds, stepTimeRatio, timeSeconds, communication, memoryBytes }: ReturnType<typeof apart>,
): readonly string[] {
  const step = first.plan.stepTimeSeconds
  const lines = largest(timeSeconds).map(([line, more]) => `${signed(more, secondsText)} ${words[line]}`)
  const axis = largest(communication)[0]
  const { total, ...kept } = memoryBytes
  const moved = Math.abs(total) < 1 ? [] : largest(kept)
  return compact(
    Math.abs(stepTimeRatio - 1) < rounding
      ? `${second.name} takes as long as ${first.name}: ${secondsText(step)}.`
      : `${second.name} takes ${secondsText(second.plan.stepTimeSeconds)}, ${secondsText(Math.abs(stepTimeSeconds))} (${percent(Math.abs(stepTimeRatio - 1))}) ${stepTimeSeconds > 0 ? 'longer' : 'less'} than ${first.name}${lines.length > 0 ? `: ${lines.join(', ')}` : ''}.`,
    axis &&
      `Communication over ${axis[0]} differs most: it takes ${secondsText(Math.abs(axis[1]))} ${axis[1] > 0 ? 'longer' : 'less'}, whether it is hidden or not.`,
    moved.length > 0 && memoryText(second.plan.memoryBytes, first.plan.memoryBytes, moved),
  )
}

function memoryText(
  after: MemoryAccount,
  before: MemoryAccount,
  lines: readonly (readonly [MemoryLine, number])[],
): string {
  const parts = lines.map(
    ([line, more]) => `${signed(more, bytesText)} ${line === 'kvCache' ? 'caches' : line}`,
  )
  return `The fullest chip has ${bytesText(after.total)} in place of ${bytesText(before.total)}: ${parts.join(', ')}.`
}

function largest<Line extends string>(
  differences: Readonly<Record<Line, number>>,
): readonly (readonly [Line, number])[] {
  const lines = Object.entries(differences) as [Line, number][]
  const all = lines.reduce((sum, [, more]) => sum + Math.abs(more), 0)
  return lines
    .filter(([, more]) => more !== 0 && Math.abs(more) >= worth * all)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
}

/** Relative difference that the order of summation may cause. */
const rounding = 1e-6
