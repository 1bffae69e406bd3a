/** Requests that some deployment answers, where none answers those that were asked: fewer a second, or later in several ways at once. */

import type { Requests } from '../../modes/serve/requests.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import type { Suggestion } from '../answer.ts'
import { counted, secondsText } from '../explain/figures.ts'
import { type Changed, loosened, lowered } from './least-change.ts'

type Best = (requests: Requests) => Sized | null

export interface Easier {
  readonly deployment: Sized
  readonly suggestions: readonly Suggestion[]
}

export const unlimited = {
  rate: null,
  maxFirst: Number.POSITIVE_INFINITY,
  maxPerToken: Number.POSITIVE_INFINITY,
}

/** A limit, or the rate, that may be asked for less strictly: what that is called, its field of the workload, and its value in words. */
interface Easing {
  readonly change: string
  readonly field: string
  readonly text: (value: number) => string
}

export const easings = {
  rate: {
    change: 'a lower rate',
    field: 'requestsPerSecond',
    text: (rate: number) => `${rate} a second`,
  },
  first: {
    change: 'a later first token',
    field: 'maxTimeToFirstTokenSeconds',
    text: secondsText,
  },
  perToken: {
    change: 'a slower token',
    field: 'maxTimePerOutputTokenSeconds',
    text: secondsText,
  },
} as const satisfies Record<string, Easing>

/** The least such change; nothing where none was found. */
export function eased({ change, field, text }: Easing, found: Changed | null) {
  if (!found) return []
  const { value, deployment } = found
  return [{ change, pointer: `/workload/${field}`, value, says: text(value), deployment }]
}

/** Looks just below the rate that is sustained, which may be far below the one asked for. */
export function slowerRate(requests: Requests, best: Best): Changed | null {
  const { rate } = requests
  const most = rate === null ? null : (best({ ...requests, rate: null })?.operation.rate ?? rate)
  const from = rate === null || most === null ? null : Math.min(rate, 1.01 * most)
  return lowered(from, (fewer) => best({ ...requests, rate: fewer }))
}

/** Where no single change is enough: the rate that the pool sustains at all, then the least limit per token, then that on the first. */
export function easierTogether(requests: Requests, best: Best): Easier | null {
  const { maxFirst, maxPerToken } = unlimited
  const free = { ...requests, maxFirst, maxPerToken }
  const slower = best(free) ? null : slowerRate(free, best)
  const rated = { ...requests, rate: slower?.value ?? requests.rate }
  const perToken = best({ ...rated, maxFirst })
    ? null
    : loosened(requests.maxPerToken, (seconds) => best({ ...rated, maxFirst, maxPerToken: seconds }))
  const slowed = { ...rated, maxPerToken: perToken?.value ?? rated.maxPerToken }
  const first = best(slowed)
    ? null
    : loosened(requests.maxFirst, (seconds) => best({ ...slowed, maxFirst: seconds }))
  const deployment = best({ ...slowed, maxFirst: first?.value ?? slowed.maxFirst })
  const changes = [
    ...eased(easings.first, first),
    ...eased(easings.perToken, perToken),
    ...eased(easings.rate, slower),
  ]
  const [one, ...others] = changes
  if (!deployment || !one) return null
  const values = changes.map(({ says }) => says).join(' and ')
  const detail = `${values} together are met by ${counted(deployment.chips, 'chip')}; no one change is enough`
  const also = others.map(({ pointer, value }) => ({ pointer, value }))
  const change = changes.map((own) => own.change).join(' and ')
  const { pointer, value } = one
  return { deployment, suggestions: [{ change, pointer, value, detail, also }] }
}
