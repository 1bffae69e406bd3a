/**
 * A launch file that leaves out what hides communication is costed without; the best that it is compared with is as a command of ours would run it,
 * and the same plan with those options is what it gives away by them alone.
 */
import type { EvaluateAnswer } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import type { Setting } from '../problem.ts'
import type { Change } from '../rules/part-rule.ts'
import type { Check } from './check.ts'

export interface Hidden extends Pick<Setting, 'assumptions' | 'runBy'> {
  /** That the file lacks. */
  readonly options: readonly string[]
  /** Of the request as it is spelled out, after which plans are costed so. */
  readonly changes: readonly Change[]
}

export function asHidden<Asked extends Pick<Setting, 'assumptions' | 'runBy'>>(
  problem: Asked,
  hidden: Hidden | undefined,
): Asked {
  if (!hidden) return problem
  const { assumptions, runBy } = hidden
  return { ...problem, assumptions, ...(runBy ? { runBy } : {}) }
}

type Timed = Pick<EvaluateAnswer['plan'], 'feasible'> & { readonly stepTimeSeconds?: number }
type Told = { readonly illegal: unknown } | { readonly plan: Timed; readonly warnings: readonly string[] }

/** Less is how sums are ordered. */
const rounding = 1e-9

/** What the options would save of a plan that runs, as a warning of its own. */
export function withHidden<Verdict extends Told>(
  verdict: Verdict,
  hidden: Hidden | undefined,
  again: () => Told,
): Verdict {
  if (!hidden || 'illegal' in verdict || !verdict.plan.feasible) return verdict
  const other = again()
  const [own, least] = [
    verdict.plan.stepTimeSeconds,
    'plan' in other ? other.plan.stepTimeSeconds : undefined,
  ]
  if (own === undefined || least === undefined || least >= own * (1 - rounding)) return verdict
  const saved = `with ${hidden.options.join(' and ')} the same plan takes ${secondsText(least)} in place of ${secondsText(own)}`
  return { ...verdict, warnings: [saved, ...verdict.warnings] }
}

/** The best plan in place of the file's, in words of the request: with what it hides. */
export function remediedAsHidden(checks: readonly Check[], hidden: Hidden | undefined): readonly Check[] {
  if (!hidden) return checks
  return checks.map((check) => ({
    ...check,
    ...(check.nearest
      ? {
          nearest: check.nearest.map(({ detail, changes }) => ({
            detail,
            changes: changes.some(({ pointer }) => pointer === '/plan')
              ? [...changes, ...hidden.changes]
              : changes,
          })),
        }
      : {}),
  }))
}
