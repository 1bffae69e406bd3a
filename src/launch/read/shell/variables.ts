/**
 * Values of a script's variables. The total that is read is limited, in the script and all that it calls together, because a script can double
 * a text in each line, and call a function in each line that reads a long one.
 */

export interface ShellVariables {
  readonly all: ReadonlyMap<string, readonly string[]>
  readonly set: (name: string, value: readonly string[]) => void
  readonly drop: (name: string) => void
  /** One value, or all of an array; empty once the limit is reached; undefined if the script does not set the variable. */
  readonly read: (name: string) => readonly string[] | undefined
  /** Tells of an expansion of a variable that stays as it is written, as it is of no kind that is read. */
  readonly leave: (expansion: string) => void
}

export function shellVariables(
  room: { values: number },
  overflows: () => void,
  leave: ShellVariables['leave'] = () => {},
): ShellVariables {
  const all = new Map<string, readonly string[]>()
  return { all, set: (name, value) => all.set(name, value), drop: (name) => all.delete(name), read, leave }

  function read(name: string): readonly string[] | undefined {
    const values = all.get(name)
    if (!values) return undefined
    room.values -= values.reduce((sum, value) => sum + value.length + 1, 0)
    if (room.values > 0) return values
    overflows()
    return []
  }
}
