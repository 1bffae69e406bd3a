/**
 * The seconds of a layout question with everything added up that depends on the same choices: resharding from a
 * component to itself goes to its options, and all resharding between two components, in either direction, is one table.
 * A number that is missing, negative or NaN is a bug of the caller and throws a RangeError.
 */
import type { Seconds } from '../../units.ts'
import type { LayoutQuestion, Resharding } from './question.ts'

export interface PairCosts {
  /** By component, then option. */
  readonly own: readonly Seconds[][]
  readonly pairs: readonly Pair[]
}

export interface Pair {
  readonly first: number
  /** Comes after `first`. */
  readonly second: number
  /** The number of options of `second`. */
  readonly columns: number
  /** Seconds of option i of `first` with option j of `second`, at index i times the columns plus j. */
  readonly seconds: Seconds[]
}

export function pairCosts({ components, resharding }: LayoutQuestion): PairCosts {
  const own = components.map(({ name, options }) =>
    options.map((option) => required(option.seconds, name, name)),
  )
  const pairs: Pair[] = []
  for (const edge of resharding) {
    const { from, to } = edge
    const [rows, columns] = [own[from], own[to]]
    if (!rows || !columns) throw new RangeError(`no components ${from} and ${to} to reshard between`)
    if (from === to) {
      for (let i = 0; i < rows.length; i++) rows[i] = (rows[i] ?? 0) + secondsOf(edge, i, i)
      continue
    }
    const first = Math.min(from, to)
    const second = Math.max(from, to)
    let pair = pairs.find((known) => known.first === first && known.second === second)
    if (!pair) {
      pair = {
        first,
        second,
        columns: own[second]?.length ?? 0,
        seconds: new Array<number>(rows.length * columns.length).fill(0),
      }
      pairs.push(pair)
    }
    const [perRow, perColumn] = from === first ? [columns.length, 1] : [1, rows.length]
    for (let i = 0; i < rows.length; i++) {
      for (let j = 0; j < columns.length; j++) {
        const at = i * perRow + j * perColumn
        pair.seconds[at] = (pair.seconds[at] ?? 0) + secondsOf(edge, i, j)
      }
    }
  }
  return { own, pairs }
}

function secondsOf({ from, to, seconds }: Resharding, i: number, j: number): Seconds {
  return required(seconds[i]?.[j], from, to)
}

function required(seconds: Seconds | undefined, from: string | number, to: string | number): Seconds {
  if (seconds === undefined || !(seconds >= 0))
    throw new RangeError(`from ${from} to ${to}: ${seconds} seconds`)
  return seconds
}
