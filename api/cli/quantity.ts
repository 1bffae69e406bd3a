/**
 * Numbers as people write them: 8k and 4M are powers of 1024, as for contexts and batches; GB are decimal and GiB
 * binary, in bytes. Null if a text is no number. The unit also says whether bytes or a count are meant.
 */
const counts = { '': 1, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3 } as const

const bytes = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
} as const

const units = { count: counts, bytes } as const

export interface Quantity {
  readonly value: number
  /** Null for a number without a unit, which may be either. */
  readonly of: keyof typeof units | null
}

export function quantity(text: string): Quantity | null {
  const [, figures = '', unit = ''] = /^(-?\d+(?:\.\d+)?(?:e\d+)?)\s*([A-Za-z]*)$/.exec(text.trim()) ?? []
  if (figures === '') return null
  if (unit === '') return { value: Number(figures), of: null }
  const own = (['count', 'bytes'] as const).find((name) => Object.hasOwn(units[name], unit))
  if (!own) return null
  const factors: Readonly<Record<string, number>> = units[own]
  return { value: Number(figures) * (factors[unit] ?? Number.NaN), of: own }
}

/** `500ms`, `30s`, `2m` or plain seconds, converted to milliseconds. */
export function milliseconds(text: string): number | null {
  const [, figures = '', unit = 's'] = /^(-?\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(text.trim()) ?? []
  return figures === '' ? null : Number(figures) * (timeUnits[unit] ?? 1)
}

const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
