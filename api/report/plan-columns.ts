/** What a list of plans shows of each, by the kind of plan: as text for people, as a number for a sheet. */
import { frameworks } from '../../src/launch/framework.ts'
import { bytesText, percent, secondsText } from '../../src/plan/explain/figures.ts'
import type { InferencePlan, ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { OptimizeBody } from '../worker/desk.ts'

export interface Column<Shown> {
  readonly head: string
  /** Of the sheet's column, with the unit as on the wire. */
  readonly name: string
  readonly value: (plan: Shown) => string | number | null
  readonly text: (plan: Shown) => string
}

type Mode = OptimizeBody['mode']

export type AnyPlan = Plan | InferencePlan | ServePlan

const usd = (cost: number | null) => (cost === null ? '-' : cost.toPrecision(3))

const cost: Column<AnyPlan> = {
  head: '$/Mtok',
  name: 'costPerMillionTokensUsd',
  value: ({ costPerMillionTokensUsd }) => costPerMillionTokensUsd,
  text: ({ costPerMillionTokensUsd }) => usd(costPerMillionTokensUsd),
}

const rank: Column<AnyPlan> = {
  head: '#',
  name: 'rank',
  value: (plan) => plan.rank,
  text: (plan) => String(plan.rank),
}

const summary: Column<AnyPlan> = {
  head: 'plan',
  name: 'summary',
  value: (plan) => plan.summary,
  text: (plan) => plan.summary,
}

/** That work, of all that there are. */
const chips: Column<Plan> = {
  head: 'chips',
  name: 'chips',
  value: (plan) => plan.chips,
  text: (plan) => (plan.idleChips > 0 ? `${plan.chips} of ${plan.chips + plan.idleChips}` : `${plan.chips}`),
}

const step: Column<Plan> = {
  head: 'step',
  name: 'stepTimeSeconds',
  value: (plan) => plan.stepTimeSeconds,
  text: (plan) => secondsText(plan.stepTimeSeconds),
}

const mfu: Column<Plan> = {
  head: 'MFU',
  name: 'mfu',
  value: (plan) => plan.mfu,
  text: (plan) => percent(plan.mfu),
}

const memory: Column<Plan> = {
  head: 'memory',
  name: 'memoryBytes',
  value: ({ memoryBytes }) => memoryBytes.total,
  text: ({ memoryBytes: { total, budget } }) => `${bytesText(total)} of ${bytesText(budget)}`,
}

const launchers: Column<AnyPlan> = {
  head: 'launched by',
  name: 'launchedBy',
  value: (plan) => launchedBy(plan).join(' '),
  text: (plan) => launchedBy(plan).join(', ') || '-',
}

const throughput: Column<Plan> = {
  head: 'tok/s/chip',
  name: 'tokensPerSecondPerChip',
  value: (plan) => plan.tokensPerSecondPerChip,
  text: (plan) => Number(plan.tokensPerSecondPerChip.toPrecision(3)).toString(),
}

const batch: Column<InferencePlan> = {
  head: 'batch',
  name: 'batchSequences',
  value: (plan) => plan.batchSequences,
  text: (plan) => String(plan.batchSequences),
}

const deployment: readonly Column<ServePlan>[] = [
  { head: 'chips', name: 'chips', value: ({ chips }) => chips, text: ({ chips }) => String(chips) },
  {
    head: 'req/s',
    name: 'requestsPerSecond',
    value: (plan) => plan.requestsPerSecond,
    text: (plan) => Number(plan.requestsPerSecond.toPrecision(3)).toString(),
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

const phase = [rank, chips, step, batch, throughput, memory, cost, launchers, summary]

const columns: Readonly<Record<Mode, readonly Column<never>[]>> = {
  train: [rank, chips, step, mfu, memory, cost, launchers, summary],
  prefill: phase,
  generate: phase,
  serve: [rank, ...deployment, cost, launchers, summary],
}

/** Each of the columns shows every plan of the mode. */
export function columnsOf(mode: Mode): readonly Column<AnyPlan>[] {
  return columns[mode] as readonly Column<AnyPlan>[]
}

function launchedBy({ launch }: AnyPlan): readonly string[] {
  return frameworks.filter((name) => {
    const how = launch[name]
    return how !== undefined && !(typeof how === 'object' && how !== null && 'unsupported' in how)
  })
}
