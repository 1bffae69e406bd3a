/**
 * Uncertain constants drawn at random around what is assumed, with the spreads of calibration/constants.ts and clipped to their ranges.
 * One draw is one machine on which all plans are costed, so that what moves all of them alike moves none against another. Constants that
 * err together share a part: links of both kinds (what a library reaches), both overlaps (what a framework hides), matmuls and HBM
 * (clocks). The shares are stated: no source measures them.
 *
 *   u = √s · shared + √(1 − s) · own      both normal, s the share
 *
 * The generator has a fixed seed, so the draws are the same every time and the same request gets the same answer.
 */
import { type Constants, type Reassumable, reassumable } from '../cost/reassumed.ts'
import { moved } from './constants.ts'

const shares: Readonly<Partial<Record<Reassumable, readonly [group: number, share: number]>>> = {
  scaleUpEfficiency: [0, 0.5],
  scaleOutEfficiency: [0, 0.5],
  overlapCriticalPath: [1, 0.5],
  overlapPrefetched: [1, 0.5],
  sustainedShare: [2, 0.25],
  hbmEfficiency: [2, 0.25],
}

const groups = 3

export function draws(count: number, assumed: Readonly<Record<Reassumable, number>>): readonly Constants[] {
  const normal = normals(seed)
  return Array.from({ length: count }, () => {
    const shared = Array.from({ length: groups }, normal)
    const drawn = reassumable.map((name) => {
      const [group = 0, share = 0] = shares[name] ?? []
      const away = Math.sqrt(share) * (shared[group] ?? 0) + Math.sqrt(1 - share) * normal()
      return [name, moved(name, assumed[name], away)] as const
    })
    return Object.fromEntries(drawn)
  })
}

const seed = 20_240_601

/** Normal numbers by Box and Muller, from the uniform numbers of mulberry32. */
function normals(start: number): () => number {
  let state = start
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}
