/** What is there before a script starts. */
import { type Documents, noDocuments } from './documents.ts'
import { type Functions, noFunctions } from './functions.ts'

export interface Environment {
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Variables that decide no test, as they may have other values. */
  readonly loose: ReadonlySet<string>
  /** The own variables of the function that is read; null outside of functions. */
  readonly locals: Locals | null
  /** Files that are written. */
  readonly documents: Documents
  readonly functions: Functions
  /** What may still be read of scripts and functions that are called, and of values of variables, by all of them together. */
  readonly room: { called: number; values: number }
}

/** Variables that a function has for itself, with the values that they have for its caller. */
export type Locals = Map<string, readonly string[] | undefined>

/** In characters. A call takes as much as so many, and each variable that is handed to it as one. */
const most = { called: 1_000_000, values: 400_000 }
const byCall = 100

export function emptyEnvironment(): Environment {
  const none = { variables: new Map(), loose: new Set<string>(), locals: null }
  return { ...none, documents: noDocuments(), functions: noFunctions(), room: { ...most } }
}

/** Whether a text may be read that is called where so many variables are known; takes its room. */
export function takesRoom({ room }: Environment, text: string, variables: number): boolean {
  room.called -= byCall + text.length + variables
  return room.called >= 0
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
