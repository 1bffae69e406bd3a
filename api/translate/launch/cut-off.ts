/** Lines of options that a script's command does not go on to: a shell runs the command without them, so that what is checked is not what was meant. */
import { isFields } from '../../../src/fields.ts'
import type { CutOffAt, LaunchReading } from '../../../src/launch/read/reading.ts'
import type { CutOff } from '../../../src/launch/read/shell/cut-off.ts'
import { readScript } from '../../../src/launch/read/shell/script.ts'
import type { Check } from '../../../src/validation/check.ts'
import { commandsOf } from './manifest.ts'

/** Those of a launch file, which is a text or has one beside its settings. */
export function cutOffIn(written: unknown): readonly CutOffAt[] {
  const text = isFields(written) ? written.command : written
  if (typeof text !== 'string') return []
  const script = commandsOf(text)
  if (isSettings(script)) return []
  const lines = text.split('\n').map((line) => line.trim())
  return readScript(script).cutOff.map((one) => ({ ...one, at: placeOf(one, lines) }))
}

/** Whether a text begins with a key of YAML, of which lines with dashes may be keys, items or folded texts. */
function isSettings(text: string): boolean {
  const first = text.split('\n').find((line) => !/^\s*(#|---|$)/.test(line))
  return /^\s*["']?[\w.-]+["']?:(\s|$)/.test(first ?? '')
}

/** The line's number in the file, where a script may stand in another or in a manifest; null where the file has it in other words. */
function placeOf({ line, before }: CutOff, lines: readonly string[]): number | null {
  const [own, above] = [line.trim(), before.trim()]
  const exact = lines.findIndex((one, at) => one === own && lines[at - 1] === above)
  // A quote may open before a script's first line, and close behind its last.
  const within = () => lines.findIndex((one, at) => one.includes(own) && lines[at - 1]?.includes(above))
  const index = exact < 0 ? within() : exact
  return index < 0 ? null : index + 1
}

/** Rows of how a line ends that the next was meant to go on from, the first that is found counts. */
const ends: readonly (readonly [mark: RegExp, says: string])[] = [
  [/^\s*#/, 'is a comment, which no backslash continues'],
  [/\\\s+#/, 'has a comment behind its backslash'],
  [/\\\s+$/, 'has blanks behind its backslash'],
  [/^\s*$/, 'is empty'],
  [/\\\\$/, 'ends in two backslashes, of which the first takes the second as it is written'],
]

export function cutOffText({ option, at, before }: CutOffAt): string {
  const why = ends.find(([mark]) => mark.test(before))?.[1] ?? 'does not end in a backslash'
  const [own, above] = at === null ? ['a line', 'the line before'] : [`line ${at}`, `line ${at - 1}`]
  const as = /^\w/.test(option) ? 'an assignment of the shell' : 'a command of its own'
  return `${option} begins ${own} as ${as}, so that what runs is without it and what follows it: ${above} ${why}`
}

export function cutOffChecks(
  { cutOff = [] }: Pick<LaunchReading, 'cutOff'>,
  pointer: string,
): readonly Check[] {
  return cutOff.map((one) => ({
    name: 'understood',
    ok: false,
    pointer,
    expected: 'a line before it that ends in a backslash',
    actual: one.option,
    message: cutOffText(one),
  }))
}
