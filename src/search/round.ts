/**
 * How many are looked at under one limit. The limit is the one found before them, and so the same for any number of threads (crew.ts).
 * Rounds are small while limits fall, as what is looked at would then be looked at in vain; while limits stay, rounds grow, so that
 * all threads have work.
 */
export interface Round {
  readonly first: number
  readonly most: number
}

export function nextSize({ first, most }: Round, size: number, falls: boolean): number {
  return falls ? first : Math.min(2 * size, most)
}
