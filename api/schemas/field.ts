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
