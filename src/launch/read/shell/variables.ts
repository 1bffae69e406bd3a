/** Values of a script's variables. The total that is read is limited, because a script can double a text in each line. */

/** In characters. */
const most = 400_000

export interface ShellVariables {
  readonly all: ReadonlyMap<string, readonly string[]>
  readonly set: (name: string, value: readonly string[]) => void
  readonly drop: (name: string) => void
  /** One value, or all of an array; empty once the limit is reached; undefined if the script does not set the variable. */
  readonly read: (name: string) => readonly string[] | undefined
}

export function shellVariables(overflows: () => void): ShellVariables {
  const all = new Map<string, readonly string[]>()
  let room = most
  return { all, set: (name, value) => all.set(name, value), drop: (name) => all.delete(name), read }

  function read(name: string): readonly string[] | undefined {
    const values = all.get(name)
    if (!values) return undefined
    room -= values.reduce((sum, value) => sum + value.length + 1, 0)
    if (room > 0) return values
    overflows()
    return []
  }
}
