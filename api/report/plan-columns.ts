/** Columns of a list of plans, by mode. */
import { frameworks } from '../../src/launch/framework.ts'
import { launchersAmong } from '../../src/launch/launch.ts'
import type { InferencePlan, ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { OptimizeBody } from '../worker/desk.ts'
import { type Column, cost, deployment, memory, mfu, numbered, step, summary, throughput } from './columns.ts'

type Mode = OptimizeBody['mode']

export type AnyPlan = Plan | InferencePlan | ServePlan

const rank = numbered('#', 'rank', String)

/** Chips in use, of all chips if some are idle. */
const chips: Column<Plan> = {
  head: 'chips',
  name: 'chips',
  value: (plan) => plan.chips,
  text: (plan) => (plan.idleChips > 0 ? `${plan.chips} of ${plan.chips + plan.idleChips}` : `${plan.chips}`),
}

const launchers: Column<AnyPlan> = {
  head: 'launched by',
  name: 'launchedBy',
  value: (plan) => launchedBy(plan).join(' '),
  text: (plan) => launchedBy(plan).join(', ') || '-',
}

const batch = numbered('batch', 'batchSequences', String)

const phase = [rank, chips, step, batch, throughput, memory, cost, launchers, summary]

const columns: Readonly<Record<Mode, readonly Column<never>[]>> = {
  train: [rank, chips, step, mfu, memory, cost, launchers, summary],
  prefill: phase,
  generate: phase,
  serve: [rank, ...deployment, cost, launchers, summary],
}

/** Each column can show every plan of its mode. */
export function columnsOf(mode: Mode): readonly Column<AnyPlan>[] {
  return columns[mode] as readonly Column<AnyPlan>[]
}

function launchedBy({ launch }: AnyPlan): readonly string[] {
  return launchersAmong(frameworks, launch)
}
