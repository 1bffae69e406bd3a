/**
 * So many are looked at under one limit, whoever does it: the limit that was found before them, and so the same for any number of
 * threads (crew.ts). Few where limits fall, as what is looked at is then looked at in vain; where they do not rounds grow, so that all
 * who are there have work.
 */
export interface Round {
  readonly first: number
  readonly most: number
}

export function nextSize({ first, most }: Round, size: number, falls: boolean): number {
  return falls ? first : Math.min(2 * size, most)
}
