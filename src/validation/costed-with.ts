/**
 * Assumptions that a plan alone is costed with, such as communication that its launch file does not hide. The best plan
 * that it is compared with has those of the request, as a command of ours would; the same plan costed again with them
 * shows what it loses by its own alone.
 */
import type { EvaluateAnswer } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import type { Plan } from '../plan/plan.ts'
import type { Setting } from '../problem.ts'

export interface CostedWith extends Pick<Setting, 'assumptions' | 'runBy'> {
  /** What the plan says of it. */
  readonly written: NonNullable<Plan['costedWith']>
  /** The options that a launch file lacks; empty for a plan of fields. */
  readonly options: readonly string[]
}

export function asCosted<Asked extends Pick<Setting, 'assumptions' | 'runBy'>>(
  problem: Asked,
  own: CostedWith | undefined,
): Asked {
  if (!own) return problem
  const { assumptions, runBy } = own
  return { ...problem, assumptions, ...(runBy ? { runBy } : {}) }
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
  const how = own.options.length > 0 ? `with ${own.options.join(' and ')}` : 'without its costedWith'
  const saved = `${how} the same plan takes ${secondsText(least)} in place of ${secondsText(time)}`
  return { ...verdict, plan, warnings: [saved, ...verdict.warnings] }
}
