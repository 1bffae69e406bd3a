/** What a framework is told of a plan, or why it cannot run it: said in place of flags that would run another. */

export interface Unsupported {
  readonly unsupported: readonly string[]
}

export interface Launchable<Flags> {
  readonly flags: Flags
  /** What the flags do not say and a user has to know. */
  readonly notes: readonly string[]
}

export type Launch<Flags> = Launchable<Flags> | Unsupported

/** What each framework is told, by its name; with notes, of the frameworks and of the plan, where any can launch it. */
export function told(
  launches: readonly (readonly [name: string, launch: Launch<unknown>])[],
  notes: (own: readonly string[]) => readonly string[],
): Readonly<Record<string, unknown>> {
  const able = launches.flatMap(([, launch]) => ('flags' in launch ? [launch] : []))
  const flags = launches.map(([name, launch]) => [name, 'flags' in launch ? launch.flags : launch])
  const own = able.flatMap((launch) => launch.notes)
  return { ...Object.fromEntries(flags), ...(able.length > 0 ? { notes: notes(own) } : {}) }
}
