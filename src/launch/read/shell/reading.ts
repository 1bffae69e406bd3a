/** What is known while a script is read. */
import { type Branches, branchesOf } from './branches.ts'
import { type CutOffLines, cutOffLines } from './cut-off.ts'
import type { Environment, Locals } from './environment.ts'
import { definitionsIn } from './functions.ts'
import type { Pending } from './pending.ts'
import { slurmVariables } from './slurm.ts'
import { type ShellVariables, shellVariables } from './variables.ts'
import type { Reader } from './word.ts'

/** What the words of a command depend on. */
export interface Known {
  readonly here: Reader
  readonly branches: Branches
  /** Set where what is read may run. */
  readonly variables: ShellVariables
  /** Variables that may have other values, which decide no test. */
  readonly loose: Set<string>
  /** The values of variables that a command had for itself. */
  readonly passed: Map<string, readonly string[]>
  readonly locals: Locals | null
  readonly notes: Set<string>
}

export interface Reading extends Known {
  /** How many scripts this one is inside of. */
  readonly depth: number
  readonly environment: Environment
  readonly definedAt: ReturnType<typeof definitionsIn>
  readonly commands: (readonly string[])[]
  readonly pending: Pending[]
  /** How many of them the last command prints into what follows. */
  piped: number
  readonly cutOff: CutOffLines
}

/** A script of many expansions that are not read tells of the first. */
const mostNotes = 10

export function readingOf(text: string, depth: number, environment: Environment): Reading {
  const notes = new Set<string>()
  const branches = branchesOf()
  const all = shellVariables(
    environment.room,
    () => notes.add('what its variables stand for is too long: not all of it is read'),
    (expansion) => {
      if (branches.runs() && notes.size < mostNotes)
        notes.add(`${expansion.slice(0, 100)} is not filled in: what it stands for is not read`)
    },
  )
  const variables: ShellVariables = {
    ...all,
    set: (name, value) => (branches.runs() ? all.set(name, value) : undefined),
  }
  for (const [name, value] of environment.variables) variables.set(name, value)
  const told = (name: string) => environment.variables.get(name)?.[0]
  for (const [name, value] of slurmVariables(text, told)) variables.set(name, [value])
  return {
    ...{ here: { text, variables, at: 0 }, branches, variables, notes, depth, environment },
    loose: new Set(environment.loose),
    passed: new Map(),
    locals: environment.locals,
    definedAt: definitionsIn(text),
    commands: [],
    ...{ pending: [], piped: 0 },
    cutOff: cutOffLines(text),
  }
}

/** Whether what was read since a position names a variable that may have other values. */
export function isLooseSince({ here, loose }: Known, from: number): boolean {
  return isLooseIn(here.text.slice(from, here.at), loose)
}

export function isLooseIn(text: string, loose: ReadonlySet<string>): boolean {
  return (text.match(/[A-Za-z_]\w*/g) ?? []).some((name) => loose.has(name))
}

export function noteUndecided({ branches, notes }: Known): void {
  if (branches.runs()) notes.add('conditions and loops are not decided: each branch is read once, in order')
}
