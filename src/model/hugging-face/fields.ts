/**
 * The fields of a config.json, read by name. What is read is remembered, so that what is left over can be told;
 * what is missing, or is not the kind of value asked for, is noted as a fault, and a stand-in lets the reading go on.
 */
import { isFields } from '../../fields.ts'
export interface ConfigFault {
  /** JSON pointer into the config. */
  readonly pointer: string
  readonly detail: string
}

export interface Fields {
  /** A whole number from 1 to `most`, under the first of these names that has one. */
  needed(names: readonly string[], most: number): number
  /** The same, but it is no fault when the field is absent or null. */
  number(names: readonly string[], most: number): number | undefined
  /** A whole number from 0 to `most`. */
  count(name: string, most: number): number | undefined
  flag(name: string): boolean | undefined
  text(name: string): string | undefined
  list(name: string): readonly unknown[] | undefined
  /** The fields of an object inside; none where there is no such object. */
  part(name: string): Fields
  /** The value as it is, of whatever type. */
  value(name: string): unknown
  /** Whether the config has the field, even as null. */
  states(name: string): boolean
  fault(name: string, detail: string): void
  /** Notes something that the model leaves out or reads as something else. */
  note(text: string): void
  /** Names of fields that say something and that nobody has read. */
  unread(): readonly string[]
}

export interface Findings {
  readonly faults: ConfigFault[]
  readonly notes: string[]
}

export function fieldsOf(config: unknown, findings: Findings, above = ''): Fields {
  const values = new Map(isFields(config) ? Object.entries(config) : [])
  const read = new Set<string>()
  const valueAt = (name: string): unknown => {
    read.add(name)
    return values.get(name) ?? undefined
  }
  const fault = (name: string, detail: string) => {
    findings.faults.push({ pointer: `${above}/${name}`, detail })
  }
  const whole = (name: string, least: number, most: number): number | undefined => {
    const value = valueAt(name)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    fault(name, `is not a whole number from ${least} to ${most}`)
    return least
  }
  const typed =
    <T>(is: (value: unknown) => value is T, kind: string) =>
    (name: string): T | undefined => {
      const value = valueAt(name)
      if (value === undefined || is(value)) return value
      fault(name, `is not ${kind}`)
      return undefined
    }
  const number = (names: readonly string[], most: number): number | undefined => {
    const found = names.map((name) => whole(name, 1, most))
    return found.find((value) => value !== undefined)
  }
  return {
    number,
    needed(names, most) {
      const found = number(names, most)
      if (found === undefined) fault(names[0] ?? '', 'is required, as a whole number')
      return found ?? 1
    },
    count: (name, most) => whole(name, 0, most),
    flag: typed((value) => typeof value === 'boolean', 'true or false'),
    text: typed((value) => typeof value === 'string', 'a string'),
    list: typed((value) => Array.isArray(value), 'a list'),
    states: (name) => values.has(name),
    part: (name) => {
      const value = valueAt(name)
      if (value !== undefined && !isFields(value)) fault(name, 'is not an object')
      return fieldsOf(value, findings, `${above}/${name}`)
    },
    value: valueAt,
    fault,
    note: (text) => {
      findings.notes.push(text)
    },
    unread: () => [...values].filter(([name, value]) => !read.has(name) && says(value)).map(([name]) => name),
  }
}

/** A field that is absent, null, false, 0 or empty says nothing. */
function says(value: unknown): boolean {
  if (value === null || value === false || value === 0) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
