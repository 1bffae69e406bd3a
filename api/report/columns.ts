/** Columns that lists of plans and comparisons share: as text for people, and as numbers for CSV. */
import { bytesText, percent, secondsText, threeFigures } from '../../src/plan/explain/figures.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'

export interface Column<Shown> {
  readonly head: string
  /** Name of the CSV column, with its unit as in JSON. */
  readonly name: string
  readonly value: (plan: Shown) => string | number | null
  readonly text: (plan: Shown) => string
}

/** The column of a field that is a number: as it is for CSV, and in words for people. */
export function numbered<Name extends string>(head: string, name: Name, words: (value: number) => string) {
  return orNone<Name, number>(head, name, words)
}

function orNone<Name extends string, Value extends number | null>(
  head: string,
  name: Name,
  words: (value: Value) => string,
): Column<{ readonly [Own in Name]: Value }> {
  return { head, name, value: (plan) => plan[name], text: (plan) => words(plan[name]) }
}

const usd = (cost: number | null) => (cost === null ? '-' : cost.toPrecision(3))

export const cost = orNone('$/Mtok', 'costPerMillionTokensUsd', usd)

export const summary: Column<Pick<Plan, 'summary'>> = {
  head: 'plan',
  name: 'summary',
  value: (plan) => plan.summary,
  text: (plan) => plan.summary,
}

export const step = numbered('step', 'stepTimeSeconds', secondsText)

export const mfu = numbered('MFU', 'mfu', percent)

export const memory: Column<Pick<Plan, 'memoryBytes'>> = {
  head: 'memory',
  name: 'memoryBytes',
  value: ({ memoryBytes }) => memoryBytes.total,
  text: ({ memoryBytes: { total, budget } }) => `${bytesText(total)} of ${bytesText(budget)}`,
}

export const throughput = numbered('tok/s/chip', 'tokensPerSecondPerChip', threeFigures)

type Deployed = Pick<
  ServePlan,
  'chips' | 'requestsPerSecond' | 'timeToFirstTokenSeconds' | 'timePerOutputTokenSeconds'
>

export const deployment: readonly Column<Deployed>[] = [
  numbered('chips', 'chips', String),
  numbered('req/s', 'requestsPerSecond', threeFigures),
  numbered('TTFT', 'timeToFirstTokenSeconds', secondsText),
  numbered('TPOT', 'timePerOutputTokenSeconds', secondsText),
]
