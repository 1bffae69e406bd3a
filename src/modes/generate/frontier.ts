/**
 * The points that no other is at least as good as in both latency and cost: the trade between the two. Of points alike in
 * both the first in the caller's order stands for all, so that the frontier does not depend on the order they come in.
 * A point with a latency or a cost that is not finite is none.
 */
export interface Trade<Point> {
  readonly latency: (point: Point) => number
  readonly cost: (point: Point) => number
  /** Of points alike in latency and cost. */
  readonly compare: (a: Point, b: Point) => number
}

/** By latency, ascending; hence by cost, descending. */
export function frontier<Point>(
  points: readonly Point[],
  { latency, cost, compare }: Trade<Point>,
): readonly Point[] {
  const ordered = points
    .filter((point) => Number.isFinite(latency(point)) && Number.isFinite(cost(point)))
    .sort((a, b) => latency(a) - latency(b) || cost(a) - cost(b) || compare(a, b))
  let cheapest = Number.POSITIVE_INFINITY
  return ordered.filter((point) => {
    const cheaper = cost(point) < cheapest * (1 - rounding)
    if (cheaper) cheapest = cost(point)
    return cheaper
  })
}

/** Costs that differ by less are alike: the same sums in another order. */
const rounding = 1e-9
