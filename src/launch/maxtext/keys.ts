/** Keys of a MaxText configuration, and what they are set to. */
export type MaxtextConfig = Readonly<Record<string, Value>>

type Value = string | number | boolean | readonly string[]

/** The commit of AI-Hypercomputer/maxtext that names were checked against (August 2026). */
export const maxtextVersion = 'e591f30'

/** As the command takes them. */
export function settings(config: MaxtextConfig): readonly string[] {
  return Object.entries(config).map(([key, value]) => {
    const plain = typeof value === 'string' || typeof value === 'number'
    return `${key}=${plain ? value : JSON.stringify(value)}`
  })
}

/** MaxText multiplies by the chips again and cuts off what is behind the point: 49 · (1/49) must not become 0. */
export function perDevice(sequences: number, chips: number): number {
  const size = sequences / chips
  return Math.trunc(chips * size) < sequences ? size * (1 + Number.EPSILON) : size
}
