/** An object as JSON has it, before it is known what its fields are: a config, a launch file, a request. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Present<Given> = { [Name in keyof Given]?: NonNullable<Given[Name]> }

/** The fields that have a value: those that are undefined or null are left out. */
export function present<Given extends object>(given: Given): Present<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)) as Present<Given>
}

/**
 * What a table has under a word from elsewhere, such as a request or a launch file; undefined for those that it has no row for, and so for the
 * names of what every object has (`constructor`).
 */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
