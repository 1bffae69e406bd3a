/**
 * Options on which no plan depends, with a value that the framework's parser refuses: a word where a number is meant, or one behind a switch,
 * so that nothing starts. Values of options that are read are held to more where they are read.
 */
import { isFilledIn, yesOrNo } from '../../../src/launch/read/options.ts'
import { isPythonFloat, pythonInt } from '../../../src/launch/read/python-numbers.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { type ValueKind, valueKindOf } from './option-lists.ts'
import { optionIn } from './option-names.ts'
import type { Undashed } from './undashed.ts'

interface Misvalued extends Undashed {
  readonly value: string
}

export function misvaluedIn(reading: LaunchReading): readonly Misvalued[] {
  const { refuses = true, ignored, framework, version } = reading
  if (!refuses) return []
  return ignored.flatMap((text) => {
    const option = optionIn(text)
    const kind = valueKindOf(option, reading)
    const [value = ''] = text.slice(option.length).trim().split(/\s+/)
    const flaw = kind === null || isFilledIn(value) ? null : flawOf[kind](value)
    return flaw === null ? [] : [{ option, value, flaw, meant: null, by: `${framework} ${version}` }]
  })
}

const flawOf: Readonly<Record<ValueKind, (value: string) => string | null>> = {
  int: (value) => (pythonInt(value) === null ? `is ${shown(value)}, no whole number` : null),
  float: (value) => (isPythonFloat(value) ? null : `is ${shown(value)}, no number`),
  // Another word may be the model, which stands anywhere.
  flag: (value) => (yesOrNo.test(value) ? `has a value, ${value}` : null),
}

function shown(value: string): string {
  return value === '' ? 'empty' : value.slice(0, 100)
}
