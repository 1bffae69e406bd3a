/** Fields of answers and requests: a type, and what the field says. */
import { z } from 'zod'

export function number(says: string) {
  return z.number().describe(says)
}

export function whole(says: string) {
  return z.int().describe(says)
}

export function text(says: string) {
  return z.string().describe(says)
}

export function texts(says: string) {
  return z.array(z.string()).describe(says)
}

/** True or false. */
export function flag(says: string) {
  return z.boolean().describe(says)
}

export function list<Of extends z.ZodType>(says: string, of: Of): z.ZodArray<Of> {
  return z.array(of).describe(says)
}

export function record<Of extends z.ZodType>(says: string, of: Of): z.ZodRecord<z.ZodString, Of> {
  return z.record(z.string(), of).describe(says)
}

export function object<Fields extends z.core.$ZodShape>(says: string, fields: Fields) {
  return z.object(fields).describe(says)
}

export function oneOf<const Names extends readonly string[]>(says: string, names: Names) {
  return z.enum(names).describe(says)
}

export function numberOrNull(says: string) {
  return orNull(says, z.number())
}

export function orNull<Of extends z.ZodType>(says: string, of: Of): z.ZodNullable<Of> {
  return z.nullable(of).describe(says)
}

/** What may be left out, but is never undefined. */
export function optional<Of extends z.ZodType>(says: string, of: Of): z.ZodExactOptional<Of> {
  return z.exactOptional(of.describe(says))
}
