/** A box of chips, as its edges: the number of chips along each axis. */
export type Box = readonly number[]

export function volume(box: Box): number {
  return box.reduce((product, edge) => product * edge, 1)
}

export function sorted(box: Box): Box {
  return [...box].sort((a, b) => a - b)
}

/** A slice as makers write it: ascending, but with axes of one chip last (4x4x8, 2x2x1). */
export function customary(box: Box): Box {
  const ascending = sorted(box)
  return [...ascending.filter((edge) => edge > 1), ...ascending.filter((edge) => edge === 1)]
}

/** Whether one box goes into another, turned as needed; comparing edges of both in sorted order decides it. */
export function fitsInto(box: Box, outer: Box): boolean {
  const room = sorted(outer)
  return box.length === outer.length && sorted(box).every((edge, axis) => edge <= (room[axis] ?? 0))
}

/** Whether copies of a box, turned as needed, fill the whole; axes that the box does not have are of one chip. */
export function tiles(box: Box, whole: Box): boolean {
  const [first, ...rest] = box
  if (first === undefined) return true
  return whole.some(
    (edge, axis) => edge % first === 0 && tiles(rest, [...whole.slice(0, axis), ...whole.slice(axis + 1)]),
  )
}

/** All boxes of `chips` chips with `axes` axes, edges ascending. */
export function boxes(chips: number, axes: number, least = 1): readonly Box[] {
  if (axes === 1) return chips >= least ? [[chips]] : []
  const found: Box[] = []
  for (let edge = least; edge ** axes <= chips; edge++) {
    if (chips % edge !== 0) continue
    for (const rest of boxes(chips / edge, axes - 1, edge)) found.push([edge, ...rest])
  }
  return found
}

/** Negative where `a` is squarer: by longest over shortest edge, then by the sum, then by the shortest. */
export function bySquareness(a: Box, b: Box): number {
  return aspect(a) - aspect(b) || sum(a) - sum(b) || Math.min(...a) - Math.min(...b)
}

/** How far apart two boxes are, in doublings: summed over the edges, smallest against smallest, and the number of chips. */
export function doublingsBetween(a: Box, b: Box): number {
  const other = sorted(b)
  const edges = sorted(a).map((edge, axis) => Math.abs(Math.log2(edge / (other[axis] ?? 1))))
  return sum(edges) + Math.abs(Math.log2(volume(a) / volume(b)))
}

export function printed(box: Box): string {
  return box.join('x')
}

/** So many slices of one shape. */
export function printedSlices(slices: number, box: Box): string {
  return slices === 1 ? printed(box) : `${slices} slices of ${printed(box)}`
}

function aspect(box: Box): number {
  return Math.max(...box) / Math.min(...box)
}

function sum(edges: readonly number[]): number {
  return edges.reduce((total, edge) => total + edge, 0)
}
