/** A single text for all ways to write the same JSON value: keys are sorted, numbers are printed as JavaScript does. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? ordered(inner) : inner)) ?? ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Has no prototype, so that `__proto__` is a key like any other. */
function ordered(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sorted: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value).sort()) sorted[key] = value[key]
  return sorted
}
