/** Launch files as editors save them, with a mark at the start or with the line ends of Windows. */
import type { LaunchedPlan } from '../../schemas/launch.ts'
import { unmarked } from '../../unmarked.ts'
import { launchKey } from './file.ts'
import { documentsOf } from './manifest.ts'

/** The plan with a text that has no mark and whose lines end in a line feed alone, and what is to be told of the text that was given. */
export function withPlainLines(plan: LaunchedPlan): {
  readonly plan: LaunchedPlan
  readonly notes: readonly string[]
} {
  const key = launchKey(plan)
  const written: unknown = plan[key]
  if (typeof written !== 'string') return { plan, notes: [] }
  const plain = unmarked(written).replaceAll('\r\n', '\n')
  // Scripts alone have lines that go on in the next; YAML takes either line end, also in the scripts of a manifest.
  const isBroken = goesOn.test(written) && !documentsOf(plain)
  return { plan: { ...plan, [key]: plain }, notes: isBroken ? [brokenText] : [] }
}

const goesOn = /\\\r\n/

const brokenText =
  'lines end in CR LF, which a shell takes as part of what is written: no line goes on in the next, so that the options on further lines are lost; it is read as if they ended in LF (dos2unix, or eol=lf in .gitattributes)'
