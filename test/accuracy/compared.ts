/** Measurements beside their predictions, for training and for the phases of inference. */

export interface Compared {
  readonly id: string
  /** `training`, or of inference what a row compares. */
  readonly phase: string
  readonly kind: 'dense' | 'experts'
  readonly era: 'modern' | 'older'
  readonly stack: string
  readonly release: string
  readonly chip: string
  readonly split: 'fit' | 'test'
  /** Rows that share it are one configuration measured again. */
  readonly group: string
  /** What the layout was an answer to: model, chips, batch, lengths, types, software. */
  readonly question: string
  readonly layout: string
  readonly predicted: number
  readonly measured: number
  /** The measured time lies between a plan's lower and upper bound; null where they were not asked for. */
  readonly within: boolean | null
}

export interface LeftOut {
  readonly id: string
  readonly phase: string
  readonly reason: string
}

export type Outcome = Compared | LeftOut

export function isCompared(outcome: Outcome): outcome is Compared {
  return 'predicted' in outcome
}

/** Releases since 2024. */
export function eraOf(year: number): Compared['era'] {
  return year >= 2024 ? 'modern' : 'older'
}

/** One configuration measured again counts once, as the geometric mean of its measurements; `apart` keeps some of them apart. */
export function configurations(
  rows: readonly Compared[],
  apart: (row: Compared) => string = () => '',
): readonly Compared[] {
  const groups = groupedBy(rows, (row) => `${row.split} ${row.phase} ${row.group} ${apart(row)}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ ...first, measured: geometricMean(group.map(({ measured }) => measured)) }] : []
  })
}

export function groupedBy<T>(
  items: readonly T[],
  key: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
