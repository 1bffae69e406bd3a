/** The checks of one request with its file: what reports are written from. */
import type { Check } from '../../../src/validation/check.ts'

export interface Checked {
  /** Null if the request did not come from a file. */
  readonly file: string | null
  readonly checks: readonly Check[]
  /** The checked plan, and the best one; null if it has no numbers. */
  readonly plan: { readonly summary: string } | null
  readonly best: { readonly summary: string } | null
  readonly warnings: readonly string[]
  /** Line of the value at a JSON pointer, from 1; null if unknown. */
  readonly lineOf: (pointer: string) => number | null
}

/** The part of an answer that a report needs. */
export interface Told extends Pick<Checked, 'checks' | 'plan' | 'best' | 'warnings'> {
  readonly ok: boolean
}

export function withoutFile({ checks, plan, best, warnings }: Told): Checked {
  return { file: null, checks, plan, best, warnings, lineOf: () => null }
}

export function failing(all: readonly Checked[]): readonly Checked['checks'][number][] {
  return all.flatMap(({ checks }) => checks.filter(({ ok }) => !ok))
}
