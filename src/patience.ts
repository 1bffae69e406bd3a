/**
 * How long an answer may take, without a clock: whoever asks hands in when to stop. A search asks at each mesh and, told to
 * stop, answers the best so far with what it has not looked at.
 */

/** Whether to stop. Once it has said so it says so for good. */
export type Stop = () => boolean

/** The stop of one part of an answer: when so great a share of all the time there is, from 0 to 1, is over. */
export type Patience = (share: number) => Stop

export const never: Stop = () => false

export const endless: Patience = () => never

/** All the time of a part of an answer that has a span of the whole. */
export function within(patience: Patience, from: number, to: number): Patience {
  return (share) => patience(from + share * (to - from))
}

/**
 * By what share of the time each part is done. Parts that explain what was found have theirs kept for them: a plan without a word
 * of why is worth less than one from a search that ended a little sooner.
 */
export const shares = {
  /** What would make a checked plan fit, before the best there is is searched. */
  remedies: 0.3,
  /** To list the meshes that there are, and then for floors under them: of what is listed by then the best is searched. */
  meshes: 0.15,
  floors: 0.35,
  search: 0.6,
  /** The best plan of all, whether or not a framework launches it. */
  unlaunchable: 0.75,
  /** Costing what is nearly best under constants as they may be. */
  draws: 0.8,
  /** Latency against cost, where it is asked for: the list of plans is then done by half of the time. */
  listBeforeFrontier: 0.45,
  frontier: 0.75,
  plans: 0.85,
  reasons: 0.85,
  suggestions: 0.9,
  bound: 0.9,
} as const
