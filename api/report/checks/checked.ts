/** The checks of one request with its file: what reports are written from. */
import type { Preferred } from '../../../src/plan/certainty/preferred.ts'
import type { AgainstFirst } from '../../../src/plan/certainty/ties.ts'
import { percent } from '../../../src/plan/explain/figures.ts'
import type { Check } from '../../../src/validation/check.ts'

export interface Checked {
  /** Null if the request did not come from a file. */
  readonly file: string | null
  readonly checks: readonly Check[]
  /** The checked plan, and the best one; null if it has no numbers. */
  readonly plan: { readonly summary: string } | null
  readonly best: { readonly summary: string; readonly againstFirst: AgainstFirst | null } | null
  /** Why that is the best of those that are tied. */
  readonly preferred: Preferred | null
  readonly warnings: readonly string[]
  /** Line of the value at a JSON pointer, from 1; null if unknown. */
  readonly lineOf: (pointer: string) => number | null
}

/** The part of an answer that a report needs. */
export interface Told extends Pick<Checked, 'checks' | 'plan' | 'best' | 'preferred' | 'warnings'> {
  readonly ok: boolean
}

export function withoutFile({ checks, plan, best, preferred, warnings }: Told): Checked {
  return { file: null, checks, plan, best, preferred, warnings, lineOf: () => null }
}

/** The best plan in a line, with why it is taken for that where another one is predicted to be faster; null if there is none. */
export function bestText({ best, preferred }: Pick<Checked, 'best' | 'preferred'>): string | null {
  if (!best) return null
  if (!preferred || preferred.rank === 1) return best.summary
  const { among, reasons } = preferred
  const slower = percent(best.againstFirst?.slowerBy ?? 0)
  return `${best.summary} (preferred of ${among} that are tied; the first of them is ${slower} ahead: ${reasons.join('; ')})`
}

export function failing(all: readonly Checked[]): readonly Checked['checks'][number][] {
  return all.flatMap(({ checks }) => checks.filter(({ ok }) => !ok))
}
