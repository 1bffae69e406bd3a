/** Dense vectors in doubles, by position. */
export type Vector = Float64Array

/** The entry at `index`; throws for a position outside the vector, which is a bug and not a zero. */
export function at(vector: Vector, index: number): number {
  const entry = vector[index]
  if (entry === undefined) throw new RangeError(`no entry ${index} in a vector of ${vector.length}`)
  return entry
}
