/** Makes all fields optional; they may be absent, but not undefined. */
import { z } from 'zod'

type ExactPartial<S extends z.ZodRawShape> = {
  readonly [K in keyof S]: S[K] extends z.ZodType ? z.ZodExactOptional<S[K]> : never
}

export function exactPartial<S extends Record<string, z.ZodType>>(fields: S): ExactPartial<S> {
  const optional = Object.entries(fields).map(([name, field]) => [name, z.exactOptional(field)])
  return Object.fromEntries(optional) as ExactPartial<S>
}
