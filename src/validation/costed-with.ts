/**
 * Assumptions that a plan alone is costed with, such as communication that its launch file does not hide. The best plan
 * that it is compared with has those of the request, as a command of ours would; the same plan costed again with them
 * shows what it loses by its own alone.
 */
import { present } from '../fields.ts'
import type { EvaluateAnswer } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import type { Plan } from '../plan/plan.ts'
import type { Setting } from '../problem.ts'
import type { Change } from '../rules/part-rule.ts'

type Costing = Pick<Setting, 'assumptions' | 'runBy'>

type Written = NonNullable<Plan['costedWith']>

export interface CostedWith extends Costing {
  /** What the plan says of it. */
  readonly written: Written
  /** The options that a launch file lacks, by what is assumed without them. */
  readonly lacking: Readonly<Record<string, readonly string[]>>
  /** For each thing that the plan says, if it says several, all the others. */
  readonly others: readonly { readonly name: keyof Written; readonly costing: Costing }[]
}

export function asCosted<Asked extends Costing>(problem: Asked, own: Costing | undefined): Asked {
  if (!own) return problem
  const { assumptions, runBy } = own
  return { ...problem, assumptions, ...present({ runBy }) }
}

type Timed = Pick<EvaluateAnswer['plan'], 'feasible'> & { readonly stepTimeSeconds?: number }
type Told = { readonly illegal: unknown } | { readonly plan: Timed; readonly warnings: readonly string[] }

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9

/** Says in the plan what it is costed with, and in a warning how much less time it takes as other plans are costed, if it runs. */
export function saidAsCosted<Verdict extends Told>(
  verdict: Verdict,
  own: CostedWith | undefined,
  asOthers: () => Told,
): Verdict {
  if (!own || 'illegal' in verdict) return verdict
  const plan = { ...verdict.plan, costedWith: own.written }
  const other = plan.feasible ? asOthers() : verdict
  const [time, least] = [plan.stepTimeSeconds, 'plan' in other ? other.plan.stepTimeSeconds : undefined]
  if (time === undefined || least === undefined || least >= time * (1 - rounding)) return { ...verdict, plan }
  const options = lackingOf(own, Object.keys(own.written))
  const how = options.length > 0 ? `with ${options.join(' and ')}` : 'without its costedWith'
  const saved = `${how} the same plan takes ${secondsText(least)} in place of ${secondsText(time)}`
  return { ...verdict, plan, warnings: [saved, ...verdict.warnings] }
}

/** Options that a launch file lacks because of which the plan is costed with these. */
export function lackingOf({ lacking }: CostedWith, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => lacking[name] ?? [])
}

/** The plan with each of the things that it alone is costed with left out, then with all of them left out. */
export function leftOutOf(own: CostedWith | undefined): readonly LeftOut[] {
  if (!own) return []
  const names = Object.keys(own.written)
  const one = own.others.map(({ name, costing }) => ({ ...changeOf(own, [name], `/${name}`), costing }))
  return [...one, changeOf(own, names, '')]
}

interface LeftOut {
  readonly change: string
  readonly changes: readonly [Change]
  /** Absent where the plan is then costed as all others. */
  readonly costing?: Costing
}

function changeOf(own: CostedWith, names: readonly string[], below: string): LeftOut {
  const options = lackingOf(own, names)
  const change =
    options.length > 0 ? `with ${options.join(' and ')}` : `without ${names.join(' and ')} of its own`
  return { change, changes: [{ pointer: `/plan/costedWith${below}`, value: null }] }
}
