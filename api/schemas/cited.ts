/** What the catalogue's records have beside the things that they describe: titles, other names, and where their numbers are from. */
import { z } from 'zod'
import { label } from './bound.ts'
import { exactPartial } from './exact-partial.ts'
import { optional } from './field.ts'
import { chipFields } from './given/chip.ts'

export const sources = z
  .record(z.string().regex(/^\//), z.string().min(1))
  .describe('A source for each number, by JSON pointer into this record.')

const { peakFlopsPerSecond, hbmBytes, hbmBytesPerSecond } = chipFields

export const bookFigures = optional(
  'Values that replace those above under `book` assumptions.',
  z.strictObject(exactPartial({ peakFlopsPerSecond, hbmBytes, hbmBytesPerSecond })),
)

export const chipNames = { title: label(), aliases: z.array(label()) }
