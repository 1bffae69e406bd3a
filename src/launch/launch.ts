/** What a framework is told of a plan, or why it cannot run it: said in place of flags that would run another. */

import type { Start } from './start.ts'

export interface Unsupported {
  readonly unsupported: readonly string[]
}

export interface Launchable<Flags> {
  readonly flags: Flags
  readonly start: Start
  /** By name, how others start the same. */
  readonly more?: Readonly<Record<string, Start>>
  /** What the flags do not say and a user has to know. */
  readonly notes: readonly string[]
}

export type Launch<Flags> = Launchable<Flags> | Unsupported

/**
 * What each framework is told, by its name, and in `commands` how those are started that can launch the plan; with notes, of the frameworks
 * and of the plan, where any can.
 */
export function told(
  launches: readonly (readonly [name: string, launch: Launch<unknown>])[],
  notes: (own: readonly string[]) => readonly string[],
): Readonly<Record<string, unknown>> {
  const able = launches.flatMap(([name, launch]) => ('flags' in launch ? [{ name, launch }] : []))
  const flags = launches.map(([name, launch]) => [name, 'flags' in launch ? launch.flags : launch])
  if (able.length === 0) return Object.fromEntries(flags)
  const commands = able.flatMap(({ name, launch }) => [
    [name, launch.start] as const,
    ...Object.entries(launch.more ?? {}),
  ])
  const own = able.flatMap(({ launch }) => launch.notes)
  return { ...Object.fromEntries(flags), commands: Object.fromEntries(commands), notes: notes(own) }
}

/** Of what an answer says of a framework, why it does not launch the plan; null where it does, or is not asked. */
export function refusalOf(flags: unknown): readonly string[] | null {
  if (typeof flags !== 'object' || flags === null || !('unsupported' in flags)) return null
  return Array.isArray(flags.unsupported) ? flags.unsupported.map(String) : [String(flags.unsupported)]
}

export function isLaunched(flags: unknown): boolean {
  return flags !== undefined && refusalOf(flags) === null
}

/** Of some frameworks those that launch a plan. */
export function launchersAmong<Name extends string>(
  names: readonly Name[],
  launch: Readonly<Record<string, unknown>>,
): readonly Name[] {
  return names.filter((name) => isLaunched(launch[name]))
}
