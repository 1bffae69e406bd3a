/** The flags and the command with which a framework runs a plan; or, if it cannot, the reasons, in place of flags that would run something else. */

import type { Framework } from './framework.ts'
import type { Start } from './start.ts'

export interface Unsupported {
  readonly unsupported: readonly string[]
  /** Those of the reasons that only say that no flags are written: the framework may run the plan. */
  readonly unwritten?: readonly string[]
}

export interface Launchable<Flags> {
  readonly flags: Flags
  readonly start: Start
  /** Other ways to start the same plan, by name. */
  readonly more?: Readonly<Record<string, Start>>
  /** What a user has to know that the flags do not say. */
  readonly notes: readonly string[]
}

export type Launch<Flags> = Launchable<Flags> | Unsupported

/** Flags or reasons of each framework by its name; in `commands`, how to start those that can launch the plan; and notes, if any can. */
export function told(
  launches: readonly (readonly [name: string, launch: Launch<unknown>])[],
  notes: (own: readonly string[]) => readonly string[],
  frameworks: readonly Framework[] = [],
): Readonly<Record<string, unknown>> {
  const able = launches.flatMap(([name, launch]) => ('flags' in launch ? [{ name, launch }] : []))
  const flags = launches.map(([name, launch]) => [name, 'flags' in launch ? launch.flags : launch])
  if (able.length === 0) return Object.fromEntries(flags)
  const commands = able.flatMap(({ name, launch }) => [
    [name, launch.start] as const,
    ...Object.entries(launch.more ?? {}),
  ])
  const own = able.flatMap(({ name, launch }) => (isAsked(frameworks, name) ? launch.notes : []))
  return {
    ...Object.fromEntries(flags),
    commands: Object.fromEntries(commands),
    notes: [...new Set(notes(own))],
  }
}

/** Commands are written for all that can run a plan, notes only of those that are asked for; none asked for are all. */
export function isAsked(frameworks: readonly Framework[], name: string): boolean {
  return frameworks.length === 0 || frameworks.some((one) => one === name)
}

/** Why a framework cannot launch the plan, from its entry in an answer; null if it can, or was not asked. */
export function refusalOf(flags: unknown): readonly string[] | null {
  if (typeof flags !== 'object' || flags === null || !('unsupported' in flags)) return null
  return Array.isArray(flags.unsupported) ? flags.unsupported.map(String) : [String(flags.unsupported)]
}

/** Those of the reasons that only say that no flags are written. */
export function unwrittenOf(flags: unknown): readonly string[] {
  if (typeof flags !== 'object' || flags === null || !('unwritten' in flags)) return []
  return Array.isArray(flags.unwritten) ? flags.unwritten.map(String) : []
}

/** Why the framework itself cannot launch the plan, even from a file that somebody else wrote; null if it may. */
export function ownRefusalOf(flags: unknown): readonly string[] | null {
  const unwritten = unwrittenOf(flags)
  const reasons = refusalOf(flags)?.filter((reason) => !unwritten.includes(reason)) ?? []
  return reasons.length > 0 ? reasons : null
}

/** Reasons as an answer has them, given which of them only say that no flags are written. */
export function refusedFor(unsupported: readonly string[], unwritten: readonly string[]): Unsupported {
  return { unsupported, ...(unwritten.length > 0 ? { unwritten } : {}) }
}

/** Whether the framework may launch the plan, from flags that are written here or from a file of its own. */
export function mayLaunch(flags: unknown): boolean {
  return flags !== undefined && ownRefusalOf(flags) === null
}

export function isLaunched(flags: unknown): boolean {
  return flags !== undefined && refusalOf(flags) === null
}

/** Those of the named frameworks that can launch the plan. */
export function launchersAmong<Name extends string>(
  names: readonly Name[],
  launch: Readonly<Record<string, unknown>>,
): readonly Name[] {
  return names.filter((name) => isLaunched(launch[name]))
}
