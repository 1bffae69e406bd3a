/** The checks of one request with its file: what reports are written from. */
import { compact } from '../../../src/compact.ts'
import type { Preferred } from '../../../src/plan/certainty/preferred.ts'
import type { AgainstFirst } from '../../../src/plan/certainty/ties.ts'
import { percent, secondsText } from '../../../src/plan/explain/figures.ts'
import type { Check } from '../../../src/validation/check.ts'

/** A plan with what says how good it is: that of a step, or of a deployment. */
interface Figured {
  readonly summary: string
  readonly stepTimeSeconds?: number
  readonly mfu?: number
  readonly requestsPerSecond?: number
}

/** What a report tells of a request: a check or a warning. */
export interface Finding {
  /** Of a field of the request as it was sent or read; empty for the whole. */
  readonly pointer: string
  readonly message: string
}

/** A line of a file, from 1. */
export interface Place {
  readonly file: string
  readonly line: number
}

export interface Checked {
  /** Null if the request did not come from a file. */
  readonly file: string | null
  readonly checks: readonly Check[]
  /** The checked plan, and the best one; null if it has no numbers. */
  readonly plan: Figured | null
  readonly best: (Figured & { readonly againstFirst: AgainstFirst | null }) | null
  /** Why that is the best of those that are tied. */
  readonly preferred: Preferred | null
  readonly warnings: readonly string[]
  /** Those of the warnings that are no mere notes. */
  readonly doubts?: readonly string[]
  /** The line that a finding is about, from 1, and its file; null if unknown. */
  readonly placeOf: (finding: Finding) => Place | null
}

/** Where a finding stands, which is the file's first line if nothing else is known; null without a file. */
export function placedIn({ file, placeOf }: Checked, finding: Finding): Place | null {
  return placeOf(finding) ?? (file === null ? null : { file, line: 1 })
}

/** The part of an answer that a report needs. */
export interface Told
  extends Pick<Checked, 'checks' | 'plan' | 'best' | 'preferred' | 'warnings' | 'doubts'> {
  readonly ok: boolean
}

export function withoutFile({ checks, plan, best, preferred, warnings, doubts = [] }: Told): Checked {
  return { file: null, checks, plan, best, preferred, warnings, doubts, placeOf: () => null }
}

/** The checked plan in a line, with how much longer its step takes than the best one's; null if it has no numbers. */
export function planText({ plan, best }: Pick<Checked, 'plan' | 'best'>): string | null {
  if (!plan) return null
  const slower = slowerBy({ plan, best })
  return `${figuredText(plan)}${slower > 0 ? `: ${percent(slower)} slower than the best` : ''}`
}

/** Share by which the step of the plan is longer than the best one's; 0 for less than a thousandth. */
function slowerBy({ plan, best }: Pick<Checked, 'plan' | 'best'>): number {
  const share = (plan?.stepTimeSeconds ?? 0) / (best?.stepTimeSeconds ?? Number.POSITIVE_INFINITY) - 1
  return share >= 0.001 ? share : 0
}

/** The best plan in a line, with why it is taken for that where another one is predicted to be faster; null if there is none. */
export function bestText({ best, preferred }: Pick<Checked, 'best' | 'preferred'>): string | null {
  if (!best) return null
  const figured = figuredText(best)
  if (!preferred || preferred.rank === 1) return figured
  const { among, reasons } = preferred
  const slower = percent(best.againstFirst?.slowerBy ?? 0)
  return `${figured} (preferred of ${among} that are tied; the first of them is ${slower} ahead: ${reasons.join('; ')})`
}

function figuredText({ summary, stepTimeSeconds, mfu, requestsPerSecond }: Figured): string {
  const figures = compact(
    stepTimeSeconds !== undefined && secondsText(stepTimeSeconds),
    mfu !== undefined && `MFU ${percent(mfu)}`,
    requestsPerSecond !== undefined && `${Number(requestsPerSecond.toPrecision(3))} requests a second`,
  )
  return figures.length > 0 ? `${summary} (${figures.join(', ')})` : summary
}

export function failing(all: readonly Checked[]): readonly Checked['checks'][number][] {
  return all.flatMap(({ checks }) => checks.filter(({ ok }) => !ok))
}

/** What is told of a request beside its checks, where a report grades what it tells: what no failed check says already. */
export function remarksOf(checked: Checked): {
  readonly doubts: readonly Finding[]
  /** The plan, the best and the notes, as one. */
  readonly note: Finding | null
} {
  const { checks, warnings, doubts = [] } = checked
  const failed = checks.filter(({ ok }) => !ok)
  const notes = warnings.filter((one) => !doubts.includes(one))
  const isRemarkable = notes.length > 0 || slowerBy(checked) > 0
  const lines = isRemarkable ? [...planLines(checked), ...notes.map((one) => `note  ${one}`)] : []
  return {
    doubts: doubts
      .filter((one) => !failed.some(({ message }) => one.endsWith(message)))
      .map((message) => ({ pointer: '', message })),
    note: lines.length > 0 ? { pointer: '', message: lines.join('\n') } : null,
  }
}

/** The plan and the best of them, each in a line; none of a request that has no answer. */
export function planLines({ plan, best, preferred }: Pick<Checked, 'plan' | 'best' | 'preferred'>) {
  return compact(
    plan && `plan  ${planText({ plan, best })}`,
    best && `best  ${bestText({ best, preferred })}`,
  )
}
