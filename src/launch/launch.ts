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
