/**
 * The numbers of instances with which a pool answers the most requests per second within the objectives; if equal, the fewest. They are looked for
 * within each size of deployment up to which caches are sent at one bandwidth: there more instances of a kind never make requests slower.
 */
import { satisfies } from '../../constraint.ts'
import { leastThat } from '../../threshold.ts'
import { capacity } from './operation.ts'
import { chipsOf, type Deployment, type Pair } from './pair.ts'
import type { Requests } from './requests.ts'
import {
  alike,
  deployed,
  isHeld,
  isOver,
  type Pool,
  precedes,
  rounding,
  type Sized,
  sizedAs,
  sizesAlike,
} from './sized.ts'

export function filling(pair: Pair, requests: Requests, pool: Pool, worst: number): Sized | null {
  let best: Sized | null = null
  for (const chips of sizesAlike(pair, pool).toReversed()) {
    for (const [prefills, generates] of roomFor(pair, chips)) {
      const least = -capacity({ pair, prefills, generates })
      if (isOver(least, worst) || (best && least > best.score * (1 - rounding))) break
      const deployment = mostHeld(pair, prefills, generates, pool)
      const found = deployment && sizedAs(deployment, requests, pool)
      const smaller = found && withoutIdle(found, requests, pool)
      if (smaller && (!best || precedes(smaller, best))) best = smaller
    }
  }
  return best
}

/** Numbers of instances that the chips are enough for, by descending capacity. */
function roomFor(pair: Pair, chips: number): Iterable<readonly [number, number]> {
  return pair.disaggregated ? roomApart(pair, chips) : roomTogether(pair, chips)
}

function* roomTogether({ generate }: Pair, chips: number): Iterable<readonly [number, number]> {
  for (let count = Math.floor(chips / generate.size.cluster.chips); count > 0; count--) {
    yield [count, count]
  }
}

/**
 * For each number of generate instances, as many prefill instances as the remaining chips hold. More generate instances
 * leave fewer to prefill, so that the request rate falls on both sides of the point where the two keep up with each
 * other: pairs are yielded from there outward, by descending rate.
 */
function* roomApart(pair: Pair, chips: number): Iterable<readonly [number, number]> {
  const prefillChips = pair.prefill.size.cluster.chips
  const generateChips = pair.generate.size.cluster.chips
  const room = (generates: number) => Math.floor((chips - generates * generateChips) / prefillChips)
  const most = Math.floor((chips - prefillChips) / generateChips)
  const rate = (generates: number) =>
    Math.min(room(generates) * pair.prefillCapacity, generates * pair.generateCapacity)
  if (most < 1) return
  let more =
    leastThat(most, (count) => count * pair.generateCapacity >= room(count) * pair.prefillCapacity) ?? most
  let fewer = more - 1
  while (fewer > 0 || more <= most) {
    const next = fewer < 1 || (more <= most && rate(more) >= rate(fewer)) ? more++ : fewer--
    yield [room(next), next]
  }
}

/** The deployment with the most prefill instances, up to `prefills`, that fit into nodes and slices and that the constraint on chips allows. */
function mostHeld(pair: Pair, prefills: number, generates: number, pool: Pool): Deployment | null {
  for (let count = prefills; count > 0; count--) {
    const deployment = deployed(pair, count, generates)
    if (satisfies(chipsOf(deployment), pool.chips) && isHeld(deployment, pool.cluster)) return deployment
    if (!pair.disaggregated) return null
  }
  return null
}

/** Removes prefill instances that do not improve the score. */
function withoutIdle(found: Sized, requests: Requests, pool: Pool): Sized {
  const { pair, prefills, generates, score } = found
  if (!pair.disaggregated) return found
  const alikeWith = (count: number): Sized | null => {
    const fewer = deployed(pair, count, generates)
    if (-capacity(fewer) > score * (1 - 2 * rounding)) return null
    if (!satisfies(chipsOf(fewer), pool.chips)) return null
    const own = sizedAs(fewer, requests, pool)
    return own && alike(own.score, score) ? own : null
  }
  const fewest = leastThat(prefills, (count) => alikeWith(count) !== null)
  return (fewest && alikeWith(fewest)) || found
}
