/** A replacer for JSON.stringify that refuses what JSON would turn into null: a defect must not look like an answer. */
export function finite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${key} is ${value}, which is no JSON`)
  return value
}
