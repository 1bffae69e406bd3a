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

const usd = (cost: number | null) => (cost === null ? '-' : cost.toPrecision(3))

export const cost: Column<Pick<Plan, 'costPerMillionTokensUsd'>> = {
  head: '$/Mtok',
  name: 'costPerMillionTokensUsd',
  value: ({ costPerMillionTokensUsd }) => costPerMillionTokensUsd,
  text: ({ costPerMillionTokensUsd }) => usd(costPerMillionTokensUsd),
}

export const summary: Column<Pick<Plan, 'summary'>> = {
  head: 'plan',
  name: 'summary',
  value: (plan) => plan.summary,
  text: (plan) => plan.summary,
}

export const step: Column<Pick<Plan, 'stepTimeSeconds'>> = {
  head: 'step',
  name: 'stepTimeSeconds',
  value: (plan) => plan.stepTimeSeconds,
  text: (plan) => secondsText(plan.stepTimeSeconds),
}

export const mfu: Column<Pick<Plan, 'mfu'>> = {
  head: 'MFU',
  name: 'mfu',
  value: (plan) => plan.mfu,
  text: (plan) => percent(plan.mfu),
}

export const memory: Column<Pick<Plan, 'memoryBytes'>> = {
  head: 'memory',
  name: 'memoryBytes',
  value: ({ memoryBytes }) => memoryBytes.total,
  text: ({ memoryBytes: { total, budget } }) => `${bytesText(total)} of ${bytesText(budget)}`,
}

export const throughput: Column<Pick<Plan, 'tokensPerSecondPerChip'>> = {
  head: 'tok/s/chip',
  name: 'tokensPerSecondPerChip',
  value: (plan) => plan.tokensPerSecondPerChip,
  text: (plan) => threeFigures(plan.tokensPerSecondPerChip),
}

type Deployed = Pick<
  ServePlan,
  'chips' | 'requestsPerSecond' | 'timeToFirstTokenSeconds' | 'timePerOutputTokenSeconds'
>

export const deployment: readonly Column<Deployed>[] = [
  { head: 'chips', name: 'chips', value: ({ chips }) => chips, text: ({ chips }) => String(chips) },
  {
    head: 'req/s',
    name: 'requestsPerSecond',
    value: (plan) => plan.requestsPerSecond,
    text: (plan) => threeFigures(plan.requestsPerSecond),
  },
  {
    head: 'TTFT',
    name: 'timeToFirstTokenSeconds',
    value: (plan) => plan.timeToFirstTokenSeconds,
    text: (plan) => secondsText(plan.timeToFirstTokenSeconds),
  },
  {
    head: 'TPOT',
    name: 'timePerOutputTokenSeconds',
    value: (plan) => plan.timePerOutputTokenSeconds,
    text: (plan) => secondsText(plan.timePerOutputTokenSeconds),
  },
]
