/** An assignment of a command, and what it sets. */
import { type Assignment, assignment } from './assignment.ts'
import { openIn } from './expansion.ts'
import { isLooseSince, type Known } from './reading.ts'

export interface Assigned extends Assignment {
  /** Whether the value may be another one. */
  readonly isLoose: boolean
}

/** Reads an assignment; null, and reads nothing, if there is none. */
export function assigned(known: Known): Assigned | null {
  const found = assignment(known.here)
  return found && { ...found, isLoose: known.branches.isLoose() || isLooseSince(known, found.from) }
}

export function assign(known: Known, { name, value, isLoose }: Assigned): void {
  const { variables, branches, notes, passed, loose } = known
  // A branch that needs what the script does not set is one that whoever starts it asks for: without it the value from before counts.
  if (branches.inDoubt() && variables.all.has(name) && openIn(value) !== null)
    notes.add(`${name} keeps the value from before a condition, as the text does not set ${openIn(value)}`)
  else variables.set(name, value)
  if (!branches.runs()) return
  passed.delete(name)
  if (isLoose) loose.add(name)
  else loose.delete(name)
}
