/** A replacer for JSON.stringify that throws for numbers which JSON would turn into null, so that a defect does not look like an answer. */
export function finite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${key} is ${value}, which is no JSON`)
  return value
}
