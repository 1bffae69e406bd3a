/**
 * What a router decides of a chip's share, on the fullest chip, for which the others wait (cost/communication/uneven-routing.ts):
 *
 *   A   a token's k choices: where they are shared out, those on the fullest chip
 *   J   chips of the expert axis that its choices are on (cost/communication/routing.ts), and as uneven
 *   Ev  experts that a chip reads: those of its slots that one of t tokens visits, on the fullest chip
 *
 * Choices are of the tokens that stand beside them in an array, rounded up as these are, so that no chip has fewer rows for more tokens; t are
 * the tokens of all chips that share out one set of experts. Where dimensions divide freely all chips have the mean.
 */
import * as routing from '../../cost/communication/uneven-routing.ts'
import { expertSlots } from '../../model/expert-slots.ts'
import { type AxisSet, axisBit, axisSets } from '../../sharding/axis.ts'
import { allExperts, choices, type Sizes, slack, visitedExperts } from './local-sizes.ts'

/** Worked out once for a mesh and so many tokens, as many products and calls ask for the same. `beside` is how many an array has before its choices. */
export function routed(extent: number, over: AxisSet, beside: number, sizes: Sizes): number {
  const { routed: values, routedTokens } = sizes.remembered
  const at = (extent - choices) * axisSets + over
  const tokens = extent === visitedExperts ? tokensOf(sizes) : beside
  const before = routedTokens[at] === tokens ? values[at] : undefined
  if (before !== undefined) return before
  const value = extent === visitedExperts ? visited(over, tokens, sizes) : chosen(extent, over, tokens, sizes)
  values[at] = value
  routedTokens[at] = tokens
  return value
}

function chosen(extent: number, over: AxisSet, tokens: number, all: Sizes): number {
  const { extents: sizes, shards, imbalance, unevenness, divideFreely } = all
  const among = shards[over] ?? 1
  const mean = (sizes[extent] ?? 1) / among
  if (among === 1) return mean
  if (divideFreely) return mean * imbalance
  const experts = sizes[allExperts] ?? 1
  const copies = slotsOf(over, all) * among - experts
  const mixture = { experts, choices: sizes[choices] ?? 1, unevenness }
  return mean * Math.max(imbalance, routing.fullestRows(routing.evened(mixture, copies), tokens, among))
}

/** Tokens of all chips that share out one set of experts: some, where they are whole. */
function tokensOf({ extents: sizes, shards, divideFreely }: Sizes): number {
  const whole = (value: number) => (divideFreely ? value : Math.max(1, Math.ceil(value - slack)))
  return (
    whole((sizes[0] ?? 0) / (shards[axisBit.data] ?? 1)) *
    whole((sizes[1] ?? 0) / (shards[axisBit.context] ?? 1))
  )
}

export function slotsOf(over: AxisSet, { extents: sizes, shards, copies }: Sizes): number {
  return expertSlots(sizes[allExperts] ?? 1, shards[over] ?? 1, copies).perChip
}

function visited(over: AxisSet, tokens: number, all: Sizes): number {
  const { extents: sizes, shards, divideFreely, popular } = all
  const held = slotsOf(over, all)
  const chips = shards[over] ?? 1
  const share = routing.visitedShare(popular, tokens, (sizes[allExperts] ?? 1) / (held * chips))
  return divideFreely ? held * share : routing.fullestVisited(share, held, chips)
}
