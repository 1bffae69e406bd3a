/**
 * Assumptions that a plan alone is costed with, such as communication that its launch file does not hide. The best plan
 * that it is compared with has those of the request, as a command of ours would; the same plan costed again with them
 * shows what it loses by its own alone.
 */
import { present } from '../fields.ts'
import type { EvaluateAnswer, Suggestion } from '../plan/answer.ts'
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
  /** For each thing that the plan says, if other things stay without it, what it is then costed with. */
  readonly others: readonly Without[]
}

/** A thing that the plan says, left out with all that goes with the options that it lacks. */
export interface Without {
  readonly names: readonly (keyof Written)[]
  readonly costing: Costing
}

/** What else the options change that a launch file lacks because of one thing: a second thing may be gone with the same, or with some of them. */
export function goneWith<Name extends string>(
  name: Name,
  names: readonly Name[],
  lacking: CostedWith['lacking'],
): readonly Name[] {
  const options = lacking[name] ?? []
  return names.filter((one) => {
    const own = lacking[one] ?? []
    return one === name || (own.length > 0 && own.every((option) => options.includes(option)))
  })
}

export function asCosted<Asked extends Costing>(problem: Asked, own: Costing | undefined): Asked {
  if (!own) return problem
  const { assumptions, runBy } = own
  return { ...problem, assumptions, ...present({ runBy }) }
}

type Timed = Pick<EvaluateAnswer['plan'], 'feasible'> & { readonly stepTimeSeconds?: number }
type Told =
  | { readonly illegal: unknown }
  | {
      readonly plan: Timed
      readonly warnings: readonly string[]
      readonly suggestions?: readonly Suggestion[]
    }

/** Costs the plan with the assumptions of a change, or with those of other plans. */
export type CostedAs = (costing: Costing | undefined) => Told

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9

/**
 * Says in the plan what it is costed with: in a warning how much less time it takes as other plans are costed, if it runs, and
 * as the first suggestions what it fits without, if it does not. `costedAs` costs it without some of that, or without all.
 */
export function saidAsCosted<Verdict extends Told>(
  verdict: Verdict,
  own: CostedWith | undefined,
  costedAs: CostedAs,
): Verdict {
  if (!own || 'illegal' in verdict) return verdict
  const plan = { ...verdict.plan, costedWith: own.written }
  if (!plan.feasible) {
    const suggestions = [...fitWithout(own, costedAs), ...(verdict.suggestions ?? [])]
    return { ...verdict, plan, ...(verdict.suggestions ? { suggestions } : {}) }
  }
  const other = costedAs(undefined)
  const [time, least] = [plan.stepTimeSeconds, 'plan' in other ? other.plan.stepTimeSeconds : undefined]
  if (time === undefined || least === undefined || least >= time * (1 - rounding)) return { ...verdict, plan }
  const options = lackingOf(own, Object.keys(own.written))
  const how = options.length > 0 ? `with ${options.join(' and ')}` : 'without its costedWith'
  const saved = `${how} the same plan takes ${secondsText(least)} in place of ${secondsText(time)}`
  return { ...verdict, plan, warnings: [saved, ...verdict.warnings] }
}

/** The first change of what the plan alone is costed with that makes it fit. */
function fitWithout(own: CostedWith, costedAs: CostedAs): readonly Suggestion[] {
  const left = leftOutOf(own).find(({ costing }) => {
    const other = costedAs(costing)
    return 'plan' in other && other.plan.feasible
  })
  if (!left) return []
  const [first, ...also] = left.changes
  const detail = 'the same plan fits'
  return [{ change: left.change, ...first, detail, ...(also.length > 0 ? { also } : {}) }]
}

/** Options that a launch file lacks because of which the plan is costed with these. */
export function lackingOf({ lacking }: CostedWith, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => lacking[name] ?? []))]
}

/** The same of a changed plan that still says these: what it says no more has its options. */
export function lackingBeside(own: CostedWith, names: readonly string[]): readonly string[] {
  const gone = Object.keys(own.written).filter((name) => !names.includes(name))
  const there = lackingOf(own, gone)
  return lackingOf(own, names).filter((option) => !there.includes(option))
}

/** The plan with each of the things that it alone is costed with left out, then with all of them left out. */
export function leftOutOf(own: CostedWith | undefined): readonly LeftOut[] {
  if (!own) return []
  const one = own.others.map(({ names, costing }) => ({ ...changeOf(own, names), costing }))
  const change = named(own, Object.keys(own.written))
  return [...one, { change, changes: [{ pointer: '/plan/costedWith', value: null }] }]
}

export interface LeftOut {
  readonly change: string
  readonly changes: readonly [Change, ...Change[]]
  /** Absent where the plan is then costed as all others. */
  readonly costing?: Costing
}

function changeOf(own: CostedWith, names: readonly string[]): LeftOut {
  const [first, ...rest] = names.map((name) => ({ pointer: `/plan/costedWith/${name}`, value: null }))
  return {
    change: named(own, names),
    changes: [first ?? { pointer: '/plan/costedWith', value: null }, ...rest],
  }
}

function named(own: CostedWith, names: readonly string[]): string {
  const options = lackingOf(own, names)
  return options.length > 0 ? `with ${options.join(' and ')}` : `without ${names.join(' and ')} of its own`
}
