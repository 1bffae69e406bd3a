/** What a script's variables stand for. A script can double a text in each line, so that what is read of them all has a bound. */

/** In characters. */
const most = 400_000

export interface ShellVariables {
  readonly all: ReadonlyMap<string, readonly string[]>
  readonly set: (name: string, value: readonly string[]) => void
  /** One value, or those of an array; nothing of it where the bound is reached. Undefined where the script does not set it. */
  readonly read: (name: string) => readonly string[] | undefined
}

export function shellVariables(overflows: () => void): ShellVariables {
  const all = new Map<string, readonly string[]>()
  let room = most
  return { all, set: (name, value) => all.set(name, value), read }

  function read(name: string): readonly string[] | undefined {
    const values = all.get(name)
    if (!values) return undefined
    room -= values.reduce((sum, value) => sum + value.length + 1, 0)
    if (room > 0) return values
    overflows()
    return []
  }
}
