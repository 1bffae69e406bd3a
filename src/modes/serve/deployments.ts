/**
 * Finds the best deployments of a pool: tries every size of instance and every pair of a prefill and a generate
 * instance, in the order of the lowest score that each could have; pairs that could not enter the list are skipped. The
 * bound of a pair assumes the most sequences, as fewer are taken to give no more tokens per second.
 *
 * Of the prefill instances of a size, only those are paired that no other is as good as (undominated.ts). If a deployment
 * must be launchable, one framework launches both phases, and on shared chips as one server (one-server.ts).
 */
import { never, type Stop } from '../../patience.ts'
import type { Distinct } from '../../problem.ts'
import { axes } from '../../sharding/axis.ts'
import { leastScore, sized } from './counts.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from './instance.ts'
import { holdsLongest } from './longest.ts'
import { apart, type Pair, together, togetherAtMost } from './pair.ts'
import type { Requests } from './requests.ts'
import { isOver, type Pool, precedes, type Sized } from './sized.ts'
import { undominatedApart, undominatedBeside } from './undominated.ts'

export interface ServeSpace {
  readonly pool: Pool
  /** Sizes of instance, smallest first; one list for each framework that may launch both phases, or a single list if launching is not required. */
  readonly byServer: readonly (readonly InstanceSize[])[]
  readonly disaggregated: boolean | 'auto'
  readonly top: number
  readonly distinct?: Distinct | undefined
  /** Deployments with higher scores are not wanted. */
  readonly worst?: number | undefined
}

export interface ServeSearch {
  /** The best first; one for each kind, i.e. combination of sizes and meshes, or for each family of kinds. */
  readonly deployments: readonly Sized[]
  /** Pairs and sizes considered, including those not examined; a size that was skipped counts as one. */
  readonly enumerated: number
  readonly evaluated: number
  readonly unexamined: number
  /** Lower bound of the scores of all that was not examined; Infinity if everything was, -Infinity if unknown. */
  readonly floor: number
}

export function bestDeployments(space: ServeSpace, requests: Requests, stop: Stop = never): ServeSearch {
  const best = new Map<string, Sized>()
  let ranked: readonly Sized[] = []
  let enumerated = 0
  let evaluated = 0
  let unexamined = 0
  let floor = Number.POSITIVE_INFINITY
  const leave = (count: number, least: number) => {
    unexamined += count
    floor = Math.min(floor, least)
  }
  const worst = space.worst ?? Number.POSITIVE_INFINITY
  const limit = () => (ranked.length < space.top ? worst : (ranked.at(-1)?.score ?? 0))
  const [sizes = []] = space.byServer
  for (const [at, size] of sizes.entries()) {
    // A single larger instance already needs more chips than the last deployment of the list.
    if (requests.rate !== null && size.cluster.chips > limit()) break
    const found = space.byServer
      .flatMap((sizes) => pairsWith(sizes, space.disaggregated, at, requests, stop))
      .map((pair) => ({ pair, least: leastScore(pair, requests, space.pool) }))
      .sort((a, b) => a.least - b.least)
    enumerated += found.length
    if (stop()) {
      // The list of pairs of this size may be incomplete.
      enumerated++
      leave(1, requests.rate === null ? Number.NEGATIVE_INFINITY : size.cluster.chips)
    }
    for (const [place, { pair, least }] of found.entries()) {
      if (isOver(least, Math.min(limit(), space.pool.cluster.chips))) break
      // At least one pair is costed: that is quick compared to finding them.
      if (evaluated > 0 && stop()) {
        leave(found.length - place, least)
        break
      }
      evaluated++
      const deployment = sizedWithin(pair, requests, space.pool, limit())
      if (!deployment || isOver(deployment.score, worst)) continue
      const key = space.distinct === 'family' ? familyOf(pair) : kindOf(pair)
      const twin = best.get(key)
      if (twin && !precedes(deployment, twin)) continue
      best.set(key, deployment)
      ranked = [...best.values()].sort((a, b) => (precedes(a, b) ? -1 : 1)).slice(0, space.top)
    }
  }
  return { deployments: ranked, enumerated, evaluated, unexamined, floor }
}

/** Sizes a pair for the memory that is left, which `togetherAtMost` had ignored. */
function sizedWithin(pair: Pair, requests: Requests, pool: Pool, limit: number): Sized | null {
  if (pair.disaggregated) return holdsLongest(pair, requests) ? sized(pair, requests, pool, limit) : null
  const shared = together(pair.prefill, pair.generate, requests)
  if (!shared || !holdsLongest(shared, requests) || isOver(leastScore(shared, requests, pool), limit))
    return null
  return sized(shared, requests, pool, limit)
}

/** Pairs with one instance of the size `at` and the other of that size or smaller, each at its best. */
function pairsWith(
  sizes: readonly InstanceSize[],
  disaggregated: ServeSpace['disaggregated'],
  at: number,
  requests: Requests,
  stop: Stop,
): readonly Pair[] {
  const own = sizes[at]
  if (!own) return []
  const shared =
    disaggregated === true
      ? []
      : own
          .generates(requests.maxPerToken, stop)
          .flatMap((generate) =>
            partnersOf(generate, own, requests, stop).flatMap(
              (prefill) => togetherAtMost(prefill, generate, requests) ?? [],
            ),
          )
  if (disaggregated === false) return shared
  const cross = (prefills: InstanceSize, generates: InstanceSize): readonly Pair[] => {
    // First, because it shows quickly that there are none.
    const partners = generates.generates(requests.maxPerToken, stop)
    if (partners.length === 0) return []
    return within(undominatedApart(prefills.prefillsHolding(requests, stop)), requests).flatMap((prefill) =>
      partners.flatMap((generate) => apart(prefill, generate, requests) ?? []),
    )
  }
  const smaller = sizes.slice(0, at).flatMap((other) => [...cross(own, other), ...cross(other, own)])
  return [...shared, ...smaller, ...cross(own, own)]
}

export function within(
  prefills: readonly PrefillInstance[],
  { maxFirst }: Requests,
): readonly PrefillInstance[] {
  return prefills.filter(({ seconds }) => seconds <= maxFirst)
}

function partnersOf(
  generate: GenerateInstance,
  size: InstanceSize,
  requests: Requests,
  stop: Stop,
): readonly PrefillInstance[] {
  const { servable, setting } = size.bench
  if (servable && !servable.serves(setting, generate.chosen)) return []
  // The fastest prefill of a mesh may take a second copy of weights where a slower one does with those that are there.
  const others = servable ? [] : size.prefills(stop)
  return undominatedBeside(within([...size.prefillsBeside(generate, stop), ...others], requests), generate)
}

/** Whether the phases have separate chips, and chips per instance of each; meshes do not matter. */
function familyOf({ disaggregated, prefill, generate }: Pair): string {
  return JSON.stringify([disaggregated, ...[prefill, generate].map(({ size }) => size.cluster.chips)])
}

function kindOf({ disaggregated, prefill, generate }: Pair): string {
  const phases = [prefill.candidate, generate.site].map(({ mesh }) => axes.map((axis) => mesh[axis]))
  const chips = [prefill, generate].map(
    ({ size }) => JSON.stringify(size.cluster.network) + size.cluster.chips,
  )
  return JSON.stringify([disaggregated, phases, chips])
}
