/** For objects that lack some keys in one mode: those keys, and the message for a request that has one. */
import { z } from 'zod'

export const ofOtherModes = z.registry<
  { readonly keys: readonly string[]; readonly says: string },
  z.ZodObject
>()
