/** Takes the settings of a config with sections one by one; those that nobody takes count as not understood. */
import { type Fields, isFields } from '../../fields.ts'

export interface Sections {
  readonly value: (section: string, key: string) => unknown
  /** The number under a key; `otherwise` if the key is absent, and, with a fault, if it is no whole number. */
  readonly whole: (section: string, key: string, otherwise: number) => number
  readonly text: (section: string, key: string, otherwise: string) => string
  readonly faults: readonly string[]
  /** Settings that nobody took, as `section.key`. */
  readonly left: () => readonly string[]
}

const most = 1e9

export function sectionsOf(config: Fields): Sections {
  const taken = new Set<string>()
  const faults: string[] = []
  const value = (section: string, key: string): unknown => {
    taken.add(`${section}.${key}`)
    const own = config[section]
    return isFields(own) ? own[key] : undefined
  }
  return {
    value,
    text: (section, key, otherwise) => String(value(section, key) ?? otherwise),
    whole: (section, key, otherwise) => {
      const own = value(section, key) ?? otherwise
      if (typeof own === 'number' && Number.isInteger(own) && Math.abs(own) <= most) return own
      faults.push(`${section}.${key} is no whole number`)
      return otherwise
    },
    faults,
    left: () =>
      Object.entries(config)
        .flatMap(([section, own]) =>
          isFields(own) ? Object.keys(own).map((key) => `${section}.${key}`) : [section],
        )
        .filter((leaf) => !taken.has(leaf)),
  }
}
