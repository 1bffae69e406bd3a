/** Keys of a MaxText configuration with their values. */
export type MaxtextConfig = Readonly<Record<string, Value>>

type Value = string | number | boolean | readonly string[]

/** The commit of AI-Hypercomputer/maxtext that names were checked against (August 2026). */
export const maxtextVersion = 'e591f30'

/** As arguments of the command line. */
export function settings(config: MaxtextConfig): readonly string[] {
  return Object.entries(config).map(([key, value]) => {
    const plain = typeof value === 'string' || typeof value === 'number'
    return `${key}=${plain ? value : JSON.stringify(value)}`
  })
}

/** MaxText multiplies this by the chips again and truncates: without the correction 49 · (1/49) would become 0. */
export function perDevice(sequences: number, chips: number): number {
  const size = sequences / chips
  return Math.trunc(chips * size) < sequences ? size * (1 + Number.EPSILON) : size
}
