/** Requests that some deployment answers, where none answers those that were asked: fewer a second, or later in several ways at once. */
import type { Sized } from '../../modes/serve/counts.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import type { Suggestion } from '../answer.ts'
import { secondsText } from '../explain/figures.ts'
import { chipsText } from './instance-text.ts'
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
    ...(first ? [{ pointer: '/workload/maxTimeToFirstTokenSeconds', value: first.value }] : []),
    ...(perToken ? [{ pointer: '/workload/maxTimePerOutputTokenSeconds', value: perToken.value }] : []),
    ...(slower ? [{ pointer: '/workload/requestsPerSecond', value: slower.value }] : []),
  ]
  const texts = [
    ...(first ? [secondsText(first.value)] : []),
    ...(perToken ? [secondsText(perToken.value)] : []),
    ...(slower ? [`${slower.value} a second`] : []),
  ]
  const [one, ...also] = changes
  if (!deployment || !one) return null
  const change = [
    ...(first ? ['a later first token'] : []),
    ...(perToken ? ['a slower token'] : []),
    ...(slower ? ['a lower rate'] : []),
  ].join(' and ')
  const detail = `${texts.join(' and ')} together are met by ${chipsText(deployment.chips)}; no one change is enough`
  return { deployment, suggestions: [{ change, ...one, detail, also }] }
}
