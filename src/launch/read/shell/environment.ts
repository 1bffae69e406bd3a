/** What is there before a script starts. */
export interface Environment {
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Variables that decide no test, as they may have other values. */
  readonly loose: ReadonlySet<string>
  /** Files that were written by then. */
  readonly documents: ReadonlyMap<string, string>
  /** Characters that may still be read of scripts that are called, by all of them together. */
  readonly room: { left: number }
}

/** In characters. */
const mostCalled = 1_000_000

export function emptyEnvironment(): Environment {
  return { variables: new Map(), loose: new Set(), documents: new Map(), room: { left: mostCalled } }
}

/** The variables of a script that is called; the caller's arguments are its own if it is sourced. */
export function inherited(
  variables: Environment['variables'],
  given: Environment['variables'],
  sourced: boolean,
): Environment['variables'] {
  const own = [...variables].filter(([name]) => sourced || !/^[\d@*#]/.test(name))
  return new Map([...own, ...given])
}
