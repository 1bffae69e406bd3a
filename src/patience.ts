/**
 * How long an answer may take, without a clock: the caller hands in functions that say when to stop. A search asks
 * at each mesh and, when told to stop, answers the best so far with what it has not looked at.
 */

/** Whether to stop. Once true, it stays true. */
export type Stop = () => boolean

/** The stop of one part of an answer: true when `share` (0 to 1) of the whole time is over. */
export type Patience = (share: number) => Stop

export const never: Stop = () => false

export const atOnce: Stop = () => true

export const endless: Patience = () => never

/** Patience of a part of an answer whose time runs from the share `from` to the share `to` of the whole. */
export function within(patience: Patience, from: number, to: number): Patience {
  return (share) => patience(from + share * (to - from))
}

/**
 * The share of the time by which each part is done. The parts that explain what was found have time kept for them:
 * a plan without a word of why is worth less than one from a search that ended a little sooner.
 */
export const shares = {
  /** Finding what would make a checked plan fit, before the search for the best plan. */
  remedies: 0.3,
  /** Listing the meshes that there are, then computing floors under them; the search is for the best of what is listed by then. */
  meshes: 0.15,
  floors: 0.35,
  search: 0.6,
  /** Searching for the best plan of all, whether or not a framework launches it. */
  unlaunchable: 0.75,
  /** Costing the nearly best plans again with uncertain constants drawn at random. */
  draws: 0.8,
  /** Tracing latency against cost, where that is asked for: the list of plans is then done before half of the time is over. */
  listBeforeFrontier: 0.45,
  frontier: 0.75,
  plans: 0.85,
  reasons: 0.85,
  suggestions: 0.9,
  bound: 0.9,
  /** Costing published layouts with what the request assumes. */
  recipes: 0.95,
} as const
