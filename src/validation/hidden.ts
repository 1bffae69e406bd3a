/**
 * A launch file that lacks options which hide communication is costed without them. The best plan that it is compared
 * with has them, as a command of ours would; the same plan costed again with them shows what the file loses by their
 * absence alone.
 */
import type { EvaluateAnswer } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import type { Setting } from '../problem.ts'
import type { Change } from '../rules/part-rule.ts'
import type { Check } from './check.ts'

export interface Hidden extends Pick<Setting, 'assumptions' | 'runBy'> {
  /** The options that the file lacks. */
  readonly options: readonly string[]
  /** Changes to the request after which plans are costed with the options. */
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

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9

/** Adds a warning that says how much time the options would save, if the plan runs. */
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

/** Extends suggestions to use the best plan by the changes that turn the options on. */
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
