/** For objects that lack some keys of their kin (in one mode, or as a launch file): those keys, and the message for a request that has one. */
import { z } from 'zod'

export const ofOtherModes = z.registry<
  { readonly keys: readonly string[]; readonly says: string },
  z.ZodObject
>()
