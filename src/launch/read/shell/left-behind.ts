/** What becomes of variables where a command ends, or what it calls. */
import type { Command } from './command.ts'
import { isArgument, type Locals } from './environment.ts'
import type { Reading } from './reading.ts'

/** What is sourced leaves its variables behind, and a function all but its arguments and those that it has for itself. */
export function leaveBehind({ variables, passed, loose }: Reading, inner: Reading, own: Locals | null): void {
  const left = new Map(inner.variables.all)
  for (const [name, before] of own ?? []) {
    if (before) left.set(name, before)
    else left.delete(name)
  }
  for (const [name, value] of left) {
    if ((own && isArgument(name)) || variables.all.get(name) === value) continue
    variables.set(name, value)
    passed.delete(name)
  }
  for (const [name, value] of inner.passed) passed.set(name, value)
  for (const name of inner.loose) if (!own?.has(name)) loose.add(name)
}

/** What is started has variables for itself; what else nothing sets counts as set for one command. */
export function passOn(
  { variables, passed }: Reading,
  values: Iterable<readonly [string, readonly string[]]>,
): void {
  for (const [name, value] of values) if (!variables.all.has(name)) passed.set(name, value)
}

/** Variables that were set before a command on its line are its own. */
export function giveBack({ variables, passed }: Reading, own: Command['own']): void {
  for (const [name, before] of own) {
    passed.set(name, variables.all.get(name) ?? [])
    if (before) variables.set(name, before)
    else variables.drop(name)
  }
}
