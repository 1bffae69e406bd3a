/** Whether two spellings are one name: case does not count, nor what is no letter or digit. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The keys of a table under which a name stands. */
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
