/** Which changed plans may be suggested: those that the frameworks launch with which the plan is to be launched. */
import type { Framework } from '../launch/framework.ts'
import { mayLaunch } from '../launch/launch.ts'
import { lacksMemoryAlone } from '../launch/server/rules.ts'

export interface Launched {
  readonly feasible: boolean
  readonly launch: Readonly<Record<string, unknown>>
}

export interface LaunchedBy {
  /** Frameworks that all have to launch the plan, if the request requires any. */
  readonly required?: readonly Framework[]
  /** The framework whose launch file the plan was read from. */
  readonly file?: Framework
}

/**
 * A change has to leave the plan to the framework of its file, or, without a file, to one of those that are assumed. A
 * plan that they refuse as it is written, for another reason than the memory that it lacks, is not held to that.
 */
export function launchesAs(
  written: Launched,
  { required, file }: LaunchedBy,
  assumed: readonly Framework[],
): (plan: Launched) => boolean {
  if (required) return ({ launch }) => required.every((name) => mayLaunch(launch[name]))
  const asked = file ? [file] : assumed
  if (!asked.some((name) => mayLaunch(written.launch[name]) || lacksMemoryAlone(written.launch[name])))
    return () => true
  return ({ launch }) => asked.some((name) => mayLaunch(launch[name]))
}
