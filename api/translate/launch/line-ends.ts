/** Launch files whose lines end as on Windows: they are read as if they ended as elsewhere, and whoever would run one as a script is told. */
import type { LaunchedPlan } from '../../schemas/launch.ts'
import { launchKey } from './file.ts'

/** The plan with a text whose lines end in a line feed alone, and what is to be told of the text that was given. */
export function withPlainLines(plan: LaunchedPlan): {
  readonly plan: LaunchedPlan
  readonly notes: readonly string[]
} {
  const key = launchKey(plan)
  const written: unknown = plan[key]
  if (typeof written !== 'string' || !written.includes('\r\n')) return { plan, notes: [] }
  const plain = { ...plan, [key]: written.replaceAll('\r\n', '\n') }
  return { plan: plain, notes: goesOn.test(written) ? [brokenText] : [] }
}

/** A line that goes on in the next, which only scripts have. */
const goesOn = /\\\r\n/

const brokenText =
  'lines end in CR LF, which a shell takes as part of what is written: no line goes on in the next, so that the options on further lines are lost; it is read as if they ended in LF (dos2unix, or eol=lf in .gitattributes)'
