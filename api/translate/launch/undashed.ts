/**
 * Options of a launch file with another dash than the parser knows, with one where two are meant, or with none: what follows would be
 * another plan without them, and the framework's own program does not start.
 */
import { areOthers, dashesOf, flawOf } from '../../../src/launch/read/dashes.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { slipOf } from '../../hints/nearest.ts'
import { optionsOfVersion } from './option-lists.ts'
import { isSwitch, optionIn, spelling } from './option-names.ts'

export interface Undashed {
  readonly option: string
  /** What is wrong with its dashes, or with its sign. */
  readonly flaw?: string
  /** The nearest option, or value, that there is; null if none is near. */
  readonly meant: string | null
  /** The framework and version that does not know it; null if nothing but another option's nearness speaks against it. */
  readonly by: string | null
}

export function undashedIn(reading: LaunchReading): readonly Undashed[] {
  const { undashed = [], misdashed = [], known = [], refuses, framework, version } = reading
  const names = [...known, ...(optionsOfVersion(reading) ?? [])]
  const by = refuses ? `${framework} ${version}` : null
  const told = misdashed.map((one) => ({
    ...one,
    flaw: flawOf(dashesOf(one.option)[0]),
    by: `${framework} ${version}`,
  }))
  const found = [...new Set(undashed.map(optionIn))].flatMap((option) => {
    const [dashes, name] = dashesOf(option)
    const hasSwitches = names.some(isSwitch)
    const meant = hasSwitches ? switchMeant(name, names) : settingMeant(name, names)
    // One hyphen begins short options as well, of which there is no list.
    const isSure = areOthers(dashes) || !hasSwitches
    const flaw = hasSwitches || dashes !== '' ? flawOf(dashes) : 'has no = behind it'
    return meant === null && !(isSure && refuses) ? [] : [{ option, flaw, meant, by }]
  })
  return [...told, ...found]
}

/** Short options are known by the one hyphen that they have. */
function switchMeant(name: string, names: readonly string[]): string | null {
  const long = `--${name}`
  if (names.some((one) => spelling(one) === spelling(long))) return long
  if (names.includes(`-${name}`)) return `-${name}`
  return name.length < shortest ? null : slipOf(long, names)
}

/** As in misspelt.ts: shorter ones are near to many. */
const shortest = 'tp-size'.length + 1

function settingMeant(name: string, names: readonly string[]): string | null {
  const own = names.includes(name) ? name : name.length < shortest ? null : slipOf(name, names)
  return own === null ? null : `${own}=…`
}
