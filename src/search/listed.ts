/** The list that a search keeps: best first, and only the best of those that count as the same. */

/** Something that is ranked: less is better, and Infinity is over a limit. */
export interface Scored {
  readonly score: number
}

export interface Order<One> {
  /** Whether two count as the same, so that only the better is listed. */
  readonly same: (a: One, b: One) => boolean
  readonly comes: (a: One, b: One) => boolean
}

export function insert<One>(list: One[], one: One, top: number, { same, comes }: Order<One>): void {
  const twin = list.findIndex((other) => same(one, other))
  if (twin >= 0) {
    if (!comes(one, list[twin] ?? one)) return
    list.splice(twin, 1)
  }
  const at = list.findIndex((other) => comes(one, other))
  list.splice(at < 0 ? list.length : at, 0, one)
  if (list.length > top) list.pop()
}
