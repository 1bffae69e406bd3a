/**
 * Takes the keys of a config one by one; those that nobody takes count as not understood. Text that spells a number or
 * a truth value is converted. Those of a config with sections are named `section.key`.
 */
import { type Fields, isFields, ownValue } from '../../fields.ts'

export interface Keys {
  readonly value: (name: string) => unknown
  /** The number under a key; `otherwise` if the key is absent or `auto` (filled in by another program), and, with a fault, if it is no number. */
  readonly number: (name: string, otherwise: number) => number
  /** The same for a whole number, as it is written. */
  readonly whole: (name: string, otherwise: number) => number
  /** A whole number from 1 to 1e9; null if the key is absent, and, with a fault, for anything else. */
  readonly count: (name: string) => number | null
  readonly text: (name: string, otherwise: string) => string
  readonly is: (name: string, otherwise?: boolean) => boolean
  readonly faults: readonly string[]
  readonly left: () => readonly string[]
  /** Names that were asked for, whether given or not. */
  readonly known: () => readonly string[]
}

const most = 1e12
const mostWhole = 1e9

export function keysOf(config: Fields): Keys {
  const taken = new Set<string>()
  const faults: string[] = []
  const value = (name: string): unknown => {
    taken.add(name)
    const own = ownValue(config, name)
    return own === 'auto' || own === null ? undefined : own
  }
  return {
    value,
    number: (name, otherwise) => {
      const own = value(name)
      if (own === undefined || own === '') return otherwise
      const found = typeof own === 'string' ? Number(own.replaceAll('_', '')) : own
      if (typeof found === 'number' && Math.abs(found) <= most) return found
      faults.push(`${name} is ${textOf(own).slice(0, 100)}, which is no number`)
      return otherwise
    },
    whole: (name, otherwise) => {
      const own = value(name) ?? otherwise
      if (isWhole(own) && Math.abs(own) <= mostWhole) return own
      faults.push(`${name} is no whole number`)
      return otherwise
    },
    count: (name) => {
      const own = value(name)
      if (own === undefined) return null
      if (isWhole(own) && own >= 1 && own <= mostWhole) return own
      faults.push(`${name} is no count`)
      return null
    },
    text: (name, otherwise) => textOf(value(name) ?? otherwise),
    is: (name, otherwise = false) => {
      const own = value(name)
      return own === undefined ? otherwise : /^(true|1|yes)$/i.test(textOf(own))
    },
    faults,
    left: () => Object.keys(config).filter((name) => !taken.has(name)),
    known: () => [...taken],
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value)
}

/** The keys of all sections. */
export function keysOfSections(config: Fields): Keys {
  const keys = Object.entries(config).flatMap(([section, own]) =>
    isFields(own)
      ? Object.entries(own).map(([key, value]) => [`${section}.${key}`, value])
      : [[section, own]],
  )
  return keysOf(Object.fromEntries(keys))
}

/** Objects become JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The object under a key; empty if there is none. */
export function partOf(keys: Keys, name: string): Keys {
  const own = keys.value(name)
  return keysOf(isFields(own) ? own : {})
}
