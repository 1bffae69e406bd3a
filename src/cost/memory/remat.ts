/**
 * The memory policy of a candidate: on every stage, `count` layers use one policy and the rest another, as frameworks
 * let users say ("recompute n layers of each stage"). Given two policies, the budget says how many layers at least must use the leaner
 * one; more of them never helps where that one only adds work (recipe/policy.ts). Where it has less to do in some layers, any number may be
 * best, as stages of unlike layers wait for each other: all whole numbers are tried.
 *
 *   fixed_i + f_i · ((L_i - n_i) · A_i + n_i · B_i) + live_i <= budget,   n_i = min(n, L_i)
 *
 * Policies that keep arrays on the host are not mixed: they may have less to do than a policy that keeps more, and are
 * tried only on all layers, where the host has room for them.
 *
 * f_i is the number of microbatches in flight on stage i, A_i and B_i are what a layer of it keeps of one, live_i is the working set of a
 * recomputed layer. Where layers differ, the leaner policy is leaner in layers of either kind. The programme in
 * search/memory-policy/memory-policy.ts checks this, and says what a byte of budget is worth.
 */
import type { Bytes } from '../../units.ts'
import { ofStage } from '../compile/composed.ts'
import type { StageGroup } from '../step/stages.ts'
import type { MemoryNumbers } from './layer-bytes.ts'
import { activationBytes, fixedBytes, hostBytes, hostStateBytes, liveOf, type Mix } from './stage-memory.ts'

/**
 * Bytes over the budget on the fullest stage, each stage under the policy that suits it best: no mix gets below that. Stages are looked
 * at until one is over by more than `enough`.
 */
export function leastShortBytes(
  numbers: MemoryNumbers,
  groups: readonly StageGroup[],
  budget: Bytes,
  enough: Bytes,
): Bytes {
  let short = Number.NEGATIVE_INFINITY
  for (const group of groups) {
    const { kept, host } = ofStage(numbers, group)
    const fixed = fixedBytes(numbers, group) - budget
    const away = hostStateBytes(numbers, group) - numbers.hostRoom
    const layers = group.inFlight * group.layers
    let least = Number.POSITIVE_INFINITY
    for (let policy = 0; policy < kept.length; policy++) {
      const here = fixed + layers * (kept[policy] ?? 0) + liveOf(numbers, group, policy)
      least = Math.min(least, Math.max(here, away + layers * (host[policy] ?? 0)))
    }
    short = Math.max(short, least)
    if (short > enough) break
  }
  return short
}

/** What is asked for beside the fewest layers of the leaner policy of each pair. */
interface Further {
  /** Whether other mixes are wanted where keeping everything fits. */
  readonly others?: boolean
  /** Whether more layers of `other` than are needed beside `policy` may take less time. */
  readonly mayGain?: (policy: number, other: number) => boolean
}

const mayGainNothing = () => false

/**
 * Every mix that fits and is not obviously worse: single policies, and for each pair the fewest layers of the leaner one, or any more where that
 * may gain something. Where keeping everything fits it is the only one, since no other does less work, unless others are wanted too.
 */
export function fittingMixes(
  numbers: MemoryNumbers,
  groups: readonly StageGroup[],
  budget: Bytes,
  layersDivideFreely: boolean,
  { others = false, mayGain = mayGainNothing }: Further = {},
): readonly Mix[] {
  const count = numbers.kept.length
  const stages = groups.map((group): HeldStage => ({ group, fixed: fixedBytes(numbers, group), live: [] }))
  const room: Room = { numbers, stages, budget, layersDivideFreely }
  let most = 0
  for (const group of groups) {
    if (hostStateBytes(numbers, group) > numbers.hostRoom) return []
    most = Math.max(most, group.layers)
  }
  const keepAll: Mix = { policy: numbers.least, other: numbers.least, count: 0 }
  if (!others && numbers.least >= 0 && fits(room, keepAll)) return [keepAll]
  const mixes: Mix[] = []
  for (let policy = 0; policy < count; policy++) {
    const alone: Mix = { policy, other: policy, count: 0 }
    const suffices = fits(room, alone)
    if (suffices) mixes.push(alone)
    if (offloads(numbers, policy)) continue
    for (let other = 0; other < count; other++) {
      if (offloads(numbers, other)) continue
      const gains = mayGain(policy, other)
      if (suffices && !gains) continue
      const needed = fewest(room, policy, other)
      if (needed === null || needed >= most) continue
      if (!suffices) mixes.push({ policy, other, count: needed })
      if (gains)
        for (let more = Math.floor(needed) + 1; more < most; more++)
          mixes.push({ policy, other, count: more })
    }
  }
  return mixes
}

/** Whether a policy keeps arrays on the host; such a policy is never mixed (recipe/policies.ts). */
export function offloads({ host }: MemoryNumbers, policy: number): boolean {
  return (host[policy] ?? 0) > 0
}

/** What the stages hold beside their layers' activations, and what they may hold. */
interface Room {
  readonly numbers: MemoryNumbers
  readonly stages: readonly HeldStage[]
  readonly budget: Bytes
  readonly layersDivideFreely: boolean
}

interface HeldStage {
  readonly group: StageGroup
  readonly fixed: Bytes
  /** By policy, as far as it was asked for: every pair of policies asks for both. */
  readonly live: Bytes[]
}

/** Of a policy on all layers. */
function fits({ numbers, stages, budget }: Room, mix: Mix): boolean {
  for (const stage of stages) {
    const { group, fixed } = stage
    const live = liveUnder(numbers, stage, mix.policy)
    if (!(fixed + live + activationBytes(numbers, group, mix) <= budget)) return false
    if (!(hostBytes(numbers, group, mix) <= numbers.hostRoom)) return false
  }
  return true
}

function liveUnder(numbers: MemoryNumbers, { group, live }: HeldStage, policy: number): Bytes {
  live[policy] ??= liveOf(numbers, group, policy)
  return live[policy]
}

/** Layers per stage that must use `other` for every stage to fit; null where not even all of them suffice. */
function fewest(
  { numbers, stages, budget, layersDivideFreely }: Room,
  policy: number,
  other: number,
): number | null {
  if (!keepsLess(numbers, policy, other)) return null
  let needed = 0
  for (const stage of stages) {
    const { group, fixed } = stage
    const own = ofStage(numbers, group)
    const kept = own.kept[policy] ?? 0
    const saved = kept - (own.kept[other] ?? 0)
    const live = Math.max(liveUnder(numbers, stage, policy), liveUnder(numbers, stage, other))
    const over = fixed + live + group.inFlight * group.layers * kept - budget
    if (over <= 0) continue
    const exact = over / (group.inFlight * saved)
    const least = layersDivideFreely ? exact : exact - 1e-12
    if (!(least <= group.layers)) return null
    const layers = layersDivideFreely ? exact : Math.ceil(least)
    needed = Math.max(needed, layers)
  }
  return needed
}

/** Whether `other` keeps less of the average layer than `policy`, and no more of a layer of either kind. */
export function keepsLess(
  { kept, keptByKind = noKinds }: Pick<MemoryNumbers, 'kept' | 'keptByKind'>,
  policy: number,
  other: number,
): boolean {
  return (
    (kept[other] ?? 0) < (kept[policy] ?? 0) &&
    keptByKind.every((own) => (own[other] ?? 0) <= (own[policy] ?? 0))
  )
}

const noKinds: readonly (readonly Bytes[])[] = []
