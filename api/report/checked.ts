/** The checks of one request, and where it stands: what a report is written from. */
import type { Check } from '../../src/validation/check.ts'

export interface Checked {
  /** Null where it came by itself, as to the service. */
  readonly file: string | null
  readonly checks: readonly Check[]
  /** What was checked, and the best that there is; null where it has no numbers. */
  readonly plan: { readonly summary: string } | null
  readonly best: { readonly summary: string } | null
  readonly warnings: readonly string[]
  /** Of the value that a JSON pointer points at, from 1; null where that is not known. */
  readonly lineOf: (pointer: string) => number | null
}

/** What of an answer a report needs. */
export interface Told extends Pick<Checked, 'checks' | 'plan' | 'best' | 'warnings'> {
  readonly ok: boolean
}

export function withoutFile({ checks, plan, best, warnings }: Told): Checked {
  return { file: null, checks, plan, best, warnings, lineOf: () => null }
}

export function failing(all: readonly Checked[]): readonly Checked['checks'][number][] {
  return all.flatMap(({ checks }) => checks.filter(({ ok }) => !ok))
}
