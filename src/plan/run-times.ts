/** The step time under each framework that can launch a plan. */
import { frameworks } from '../launch/framework.ts'
import { launchersAmong } from '../launch/launch.ts'
import type { Account } from './account/account.ts'
import type { Plan } from './plan.ts'

type Launches = Plan['launch']

/** Without a setting of its own in `runBy`, a framework takes the plan's time. */
export function withRunTimes(launches: Launches, { setting, seconds, secondsUnder }: Account): Launches {
  const { runBy = {} } = setting
  const able = launchersAmong(frameworks, launches)
  if (able.length === 0) return launches
  const times = able.map((name) => [name, runBy[name] ? secondsUnder(runBy[name]) : seconds] as const)
  return { ...launches, stepTimeSeconds: Object.fromEntries(times) }
}
