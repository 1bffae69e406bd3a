/** Tries a plan on another mesh with what its server keeps of its share there, which is known once it is seen how the plan lies. */
import { type Laid, type Limits, shareOn } from '../launch/kept-share.ts'
import type { CacheShare } from '../plan-sketch.ts'
import type { Setting } from '../problem.ts'

export interface Held<Plan> {
  readonly plan: Plan
  /** What a plan says of its share there; absent where the written one says nothing. */
  readonly cacheShare?: CacheShare
}

interface Sharing {
  readonly setting: Pick<Setting, 'cluster' | 'model'>
  readonly cacheShare: CacheShare | undefined
  readonly limits: Limits
  readonly from: Laid
}

/** With another share another mesh may be chosen, which keeps something else again. */
const mostTimes = 3

/** Null where nothing fits with what it keeps itself. */
export function withHeldShare<Plan>(
  { setting, cacheShare, limits, from }: Sharing,
  tried: (cacheShare?: CacheShare) => Plan | null,
  lies: (plan: Plan) => Laid,
): Held<Plan> | null {
  let own = cacheShare
  for (let times = 0; times < mostTimes; times++) {
    const plan = tried(own)
    if (!plan || !own || !cacheShare) return plan && { plan }
    const there = shareOn(cacheShare, setting, limits, from, lies(plan))
    if (there.keptBytes === own.keptBytes) return { plan, cacheShare: own }
    own = there
  }
  return null
}
