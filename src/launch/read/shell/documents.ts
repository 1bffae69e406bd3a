/** Files that a script writes, also by their names wherever they lie: what calls a file may be elsewhere than what writes it. */
export interface Documents {
  readonly all: ReadonlyMap<string, string>
  readonly write: (path: string, text: string) => void
  /** The file of that name that was written last; null if there is none. */
  readonly named: (path: string) => string | null
}

export function noDocuments(): Documents {
  const all = new Map<string, string>()
  const byName = new Map<string, string>()
  return {
    all,
    write: (path, text) => {
      all.set(path, text)
      byName.set(nameOf(path), text)
    },
    named: (path) => (nameOf(path) === '' ? null : (byName.get(nameOf(path)) ?? null)),
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
