/** Writes a TOML document of sections with plain values. TOML's basic strings are written as JSON's. */
export type TomlValue = string | number | boolean | readonly TomlValue[]

export type TomlSections = Readonly<Record<string, Readonly<Record<string, TomlValue>>>>

export function toml(sections: TomlSections): string {
  return Object.entries(sections)
    .map(([section, values]) => [`[${section}]`, ...Object.entries(values).map(line)].join('\n'))
    .join('\n\n')
    .concat('\n')
}

function line([key, value]: readonly [string, TomlValue]): string {
  return `${key} = ${printed(value)}`
}

function printed(value: TomlValue): string {
  return isList(value) ? `[${value.map(printed).join(', ')}]` : JSON.stringify(value)
}

function isList(value: TomlValue): value is readonly TomlValue[] {
  return Array.isArray(value)
}
