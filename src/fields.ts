/** An object as JSON has it, before it is known what its fields are: a config, a launch file, a request. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
