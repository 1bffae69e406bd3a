/** The step time under each framework that can launch a plan. */
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Settled } from '../assumptions/run-by.ts'
import { frameworks } from '../launch/framework.ts'
import { launchersAmong } from '../launch/launch.ts'
import type { Account } from './account/account.ts'
import type { Plan } from './plan.ts'

type Launches = Plan['launch']

/** Without a setting of its own in `runBy`, and where its command does what the plan is costed with, a framework takes the plan's time. */
export function withRunTimes(launches: Launches, account: Account, settled: Settled = {}): Launches {
  const { setting, seconds, secondsUnder } = account
  const { runBy = {}, assumptions } = setting
  const able = launchersAmong(frameworks, launches)
  if (able.length === 0) return launches
  const times = able.map((name) => {
    const under = { ...(runBy[name] ?? assumptions), ...settled[name] }
    const isOwn = runBy[name] === undefined && agrees(assumptions, settled[name])
    return [name, isOwn ? seconds : secondsUnder(under)] as const
  })
  return { ...launches, stepTimeSeconds: Object.fromEntries(times) }
}

function agrees(assumptions: Assumptions, settled: Partial<Assumptions> = {}): boolean {
  const fields = Object.keys(settled) as (keyof Assumptions)[]
  return fields.every((field) => settled[field] === assumptions[field])
}
