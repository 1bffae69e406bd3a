/** The list that a search keeps: each mesh once, the best first. */
import type { Mesh } from '../sharding/axis.ts'
import { type Candidate, meshKey } from './candidate.ts'

export interface Listed {
  readonly candidate: Candidate
  readonly space: number
}

/** A mesh is listed once, with the best that any space has for it. */
export function insert(candidates: Listed[], listed: Listed, top: number): void {
  const twin = candidates.findIndex(
    ({ candidate }) => compareKeys(candidate.mesh, listed.candidate.mesh) === 0,
  )
  const known = candidates[twin]
  if (known) {
    if (!comes(listed, known)) return
    candidates.splice(twin, 1)
  }
  const at = candidates.findIndex((other) => comes(listed, other))
  candidates.splice(at < 0 ? candidates.length : at, 0, listed)
  if (candidates.length > top) candidates.pop()
}

export function comes(a: Listed, b: Listed): boolean {
  const [left, right] = [a.candidate, b.candidate]
  if (left.score !== right.score) return left.score < right.score
  return (compareKeys(left.mesh, right.mesh) || a.space - b.space) < 0
}

export function compareKeys(a: Mesh, b: Mesh): number {
  const [left, right] = [meshKey(a), meshKey(b)]
  return left < right ? -1 : left > right ? 1 : 0
}
