/** Normalises a name for comparison: case, and characters other than letters and digits, do not count. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** For each key its other names, with blanks between them. */
export type OtherNames = Readonly<Record<string, string>>

export function listed(table: OtherNames): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(table).map(([key, names]) => [key, namesIn(names)]))
}

export function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** Inverts a table of other names: for each normalised name, the keys that it may mean. */
export function namesOf(
  table: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [key, others] of Object.entries(table)) {
    for (const other of new Set([key, ...others].map(plainName))) {
      found.set(other, [...(found.get(other) ?? []), key])
    }
  }
  return found
}
