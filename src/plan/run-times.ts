/** The step time under each framework that can launch a plan. */
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Settled } from '../assumptions/run-by.ts'
import { rememberedOf } from '../known.ts'
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
    const own = laidOutAs(runBy[name] ?? assumptions)(assumptions)
    const told = settled[name]
    const isOwn = runBy[name] === undefined && agrees(assumptions, told)
    // What is not changed stays the same object, by which plans share what is derived of it.
    return [name, isOwn ? seconds : secondsUnder(told ? { ...own, ...told } : own)] as const
  })
  return { ...launches, stepTimeSeconds: Object.fromEntries(times) }
}

/**
 * What says how a plan is laid out, whoever runs it: a plan numbers its policies among those that it was found with, and each command holds
 * experts and divides what is between layers as the plan does.
 */
const layout = ['policies', 'expertTensor', 'residual'] as const satisfies readonly (keyof Assumptions)[]

/** Assumptions of a framework for a plan that is laid out as these say; kept, as cost models are found again by them. */
const laidOutAs = rememberedOf((own: Assumptions) =>
  rememberedOf((plan: Assumptions): Assumptions => {
    if (layout.every((name) => own[name] === plan[name])) return own
    const { policies, expertTensor, residual } = plan
    return { ...own, policies, expertTensor, residual }
  }),
)

function agrees(assumptions: Assumptions, settled: Partial<Assumptions> = {}): boolean {
  const fields = Object.keys(settled) as (keyof Assumptions)[]
  return fields.every((field) => settled[field] === assumptions[field])
}
