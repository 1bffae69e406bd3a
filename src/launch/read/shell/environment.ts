/** What is there before a script starts. */
import type { Functions } from './functions.ts'

export interface Environment {
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Variables that decide no test, as they may have other values. */
  readonly loose: ReadonlySet<string>
  /** Files that were written by then. */
  readonly documents: ReadonlyMap<string, string>
  readonly functions: Functions
  /** Characters that may still be read of scripts that are called, by all of them together. */
  readonly room: { left: number }
}

/** In characters. */
const mostCalled = 1_000_000

export function emptyEnvironment(): Environment {
  const room = { left: mostCalled }
  return { variables: new Map(), loose: new Set(), documents: new Map(), functions: new Map(), room }
}

/** The variables of a script that is called; the caller's arguments are its own if it is sourced. */
export function inherited(
  variables: Environment['variables'],
  given: Environment['variables'],
  sourced: boolean,
): Environment['variables'] {
  const own = [...variables].filter(([name]) => sourced || !isArgument(name))
  return new Map([...own, ...given])
}

/** Whether a variable is one of the arguments, which a function and a script have for themselves. */
export function isArgument(name: string): boolean {
  return /^[\d@*#]/.test(name)
}
