/**
 * Options of a launch file that its framework does not know: its own program refuses them, or, where no list has all its
 * options, they resemble one that is read, so that what runs is probably not what was meant.
 */
import { ownValue } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Check } from '../../../src/validation/check.ts'
import { nearest, slipOf } from '../../hints/nearest.ts'
import { misvaluedIn } from './misvalued.ts'
import { isInClosedSection, optionsOfVersion, tellsHyphens } from './option-lists.ts'
import { isSwitch, optionIn, spelling } from './option-names.ts'
import { type Undashed, undashedIn } from './undashed.ts'

interface Misspelt extends Undashed {
  /** Its value, where it is that of which there is none. */
  readonly value?: string
}

/** Different options are more than two letters apart, unless they are abbreviations. */
const shortest = '--tp-size'.length + 1

export function misspeltIn(reading: LaunchReading): readonly Misspelt[] {
  const undashed = undashedIn(reading)
  const refused = besides(undashed, refusedIn(reading))
  const others = besides([...undashed, ...refused], resembling(reading))
  return [...undashed, ...refused, ...others, ...misvaluedIn(reading), ...unregisteredIn(reading)]
}

function besides(told: readonly Misspelt[], more: readonly Misspelt[]): readonly Misspelt[] {
  return more.filter(({ option }) => !told.some((one) => one.option === option))
}

/** Values that the version does not have, and that somebody may have added to it. */
function unregisteredIn({ unregistered = [], framework, version }: LaunchReading): readonly Misspelt[] {
  return unregistered.map(({ option, value, among }) => ({
    ...{ option, value, meant: nearest(value, among, 1)[0] ?? null },
    by: `${framework} ${version}`,
  }))
}

/**
 * Options that nobody took, other than misspelt ones and those that the list of the version has: one that there is was meant, and is
 * no cause of another fault.
 */
export function strangeIn(reading: LaunchReading, misspelt: readonly Misspelt[]): readonly string[] {
  const found = new Set(misspelt.map(({ option }) => option))
  const spelled = new Set((optionsOfVersion(reading) ?? []).map(spelling))
  return reading.notUnderstood.filter(
    (text) => !found.has(optionIn(text)) && !isAmong(spelled, optionIn(text)),
  )
}

/** Options that the version does not have. Older ones that have no say in a plan are not told from others by their beginning. */
function refusedIn(reading: LaunchReading): readonly Misspelt[] {
  const { refuses, ignored, known = [], shortNames = {}, notUnderstood, framework, version } = reading
  const list = refuses ? optionsOfVersion(reading) : null
  if (!list) return []
  const spell = tellsHyphens(reading) ? asWritten : spelling
  const spelled = new Set([...list, ...list.flatMap(partsAround), ...known].map(spell))
  const open = new Set(notUnderstood.map(optionIn))
  return [...notUnderstood, ...ignored]
    .map(optionIn)
    .filter((option) => list.some((name) => kindOf(name) === kindOf(option)))
    .filter((option) => !isAmong(spelled, option, spell))
    .flatMap((option) => {
      const near = ownValue(shortNames, option.slice(1)) ?? withinEdits(option, list)
      if (!open.has(option) && near === null && !isInClosedSection(option, reading)) return []
      return [{ option, meant: near ?? nearest(option, list, 1)[0] ?? null, by: `${framework} ${version}` }]
    })
}

/** The parts that a key of a section is in, which may be left over whole: `a` and `a.b` of `a.b.c`. */
function partsAround(name: string): readonly string[] {
  const words = isSwitch(name) ? [] : name.split('.')
  return words.slice(1).map((_, at) => words.slice(0, at + 1).join('.'))
}

const asWritten = (option: string) => option

function isAmong(spelled: ReadonlySet<string>, option: string, spell = spelling): boolean {
  const own = spell(option)
  return spelled.has(own) || spelled.has(own.replace(/^--no-/, '--'))
}

/** Keys of a file beside a command are in other lists than its options, and keys of sections in others than those outside. */
function kindOf(name: string): 'switch' | 'key' | 'key of a section' {
  return isSwitch(name) ? 'switch' : name.includes('.') ? 'key of a section' : 'key'
}

function resembling({ notUnderstood, known = [] }: LaunchReading): readonly Misspelt[] {
  return notUnderstood.flatMap((text) => {
    const option = optionIn(text)
    // An option of another program of the framework may have the name of one that is read.
    const alike = known.filter((name) => kindOf(name) === kindOf(option))
    const meant = known.includes(option) ? null : withinEdits(option, alike)
    return meant === null ? [] : [{ option, meant, by: null }]
  })
}

function withinEdits(option: string, known: readonly string[]): string | null {
  if (option.length < shortest) return null
  return slipOf(option, known)
}

export function misspeltText({ option, value, meant, by, flaw }: Misspelt): string {
  const near = meant === null ? '' : `: did you mean ${meant}?`
  if (flaw !== undefined) return `${option} ${flaw}${by === null ? '' : `, which ${by} does not take`}${near}`
  if (value !== undefined) return `${option} is ${value.slice(0, 100)}, which ${by} does not have${near}`
  const none = by === null ? `${option} is no option that is read` : `${option} is no option of ${by}`
  return meant === null ? `${none}, which refuses it` : `${none}${near}`
}

/** An option that the framework does not know is a failed check, because the plan that is checked is not the one that was meant. */
export function misspeltChecks(reading: LaunchReading | null, pointer: string): readonly Check[] {
  if (!reading) return []
  return misspeltIn(reading).map((one) => ({
    name: 'understood',
    ok: false,
    pointer,
    expected: one.meant ?? `${one.value === undefined ? 'an option' : 'a value'} of ${one.by}`,
    actual: one.value ?? one.option,
    message: misspeltText(one),
  }))
}
