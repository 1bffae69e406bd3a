/** Linear expressions over the variables of a programme: coefficients by name. */
export type Terms = Readonly<Record<string, number>>

export function sum(expressions: readonly Terms[]): Terms {
  const total: Record<string, number> = {}
  for (const terms of expressions) {
    for (const [name, coefficient] of Object.entries(terms)) total[name] = (total[name] ?? 0) + coefficient
  }
  return total
}

export function times(terms: Terms, factor: number): Terms {
  return Object.fromEntries(Object.entries(terms).map(([name, coefficient]) => [name, factor * coefficient]))
}

export function ones(names: readonly string[]): Terms {
  return Object.fromEntries(names.map((name) => [name, 1]))
}
