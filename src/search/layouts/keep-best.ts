/** The best of a layout on the placements that are launched in one way, exactly. */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import type { Mix } from '../../cost/memory/stage-memory.ts'
import type { Step } from '../../cost/step/stage-time.ts'
import { stepTime } from '../../cost/step/step.ts'
import type { AnyPlaced, PlacedTogether } from '../stages/placed-costs.ts'
import { type Candidate, type Layout, score } from './candidate.ts'

/** What of a mesh is wanted, and was found so far. */
interface Finding {
  readonly limit: number
  readonly found: { best: Candidate | null }
}

/** Keeps the best of `mixes` if it is wanted and better than what is kept. False when a bound says of all placements that none is. */
export function keepBest(
  { found, limit }: Finding,
  layout: Layout,
  way: PlacedTogether,
  mixes: readonly Mix[],
  stepUnder: (costs: NetworkCosts) => Step,
): boolean {
  /** No more than the score of any of them, and exactly that of a placement alone. */
  const scoreOn = ({ costs }: AnyPlaced, mix: Mix): number => {
    const step = stepUnder(costs)
    const expected = stepTime(step, mix, 'expected')
    return isWanted(expected) ? score(expected, stepTime(step, mix, 'upper')) : expected
  }
  const isWanted = (value: number) =>
    value < (found.best?.score ?? Number.POSITIVE_INFINITY) && value <= limit
  let anyPlaced = false
  const visit = (places: AnyPlaced, among: readonly Mix[]): void => {
    if ('placement' in places) {
      anyPlaced = true
      for (const mix of among) {
        const value = scoreOn(places, mix)
        if (isWanted(value)) found.best = { ...layout, placement: places.placement, mix, score: value }
      }
      return
    }
    // What is said of one placement alone is its own score, which is asked below.
    const isAlone = places.among.length === 1
    const hopeful = isAlone ? among : among.filter((mix) => isWanted(scoreOn(places, mix)))
    if (hopeful.length > 0) for (const place of places.among) visit(place, hopeful)
  }
  visit(way, mixes)
  return anyPlaced
}
