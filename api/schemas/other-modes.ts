/** Of objects that have fewer keys in one mode than in others: which they lack, and what a request that has one is told. */
import { z } from 'zod'

export const ofOtherModes = z.registry<
  { readonly keys: readonly string[]; readonly says: string },
  z.ZodObject
>()
