/**
 * The trade between latency and cost: the points to which no other is at least equal in both. Of points equal in both,
 * the first by `compare` is kept, so that the result does not depend on the order of input. Points with an infinite
 * latency or cost are dropped.
 */
export interface Trade<Point> {
  readonly latency: (point: Point) => number
  readonly cost: (point: Point) => number
  /** Orders points that are equal in latency and cost. */
  readonly compare: (a: Point, b: Point) => number
}

/** Points by latency, ascending; their costs descend. */
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

/** Costs that differ relatively by less count as equal: they are the same sums in another order. */
const rounding = 1e-9
