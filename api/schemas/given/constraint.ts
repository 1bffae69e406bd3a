/** What a size may be: a number, one of several numbers, or a range. */
import { z } from 'zod'
import { mostChips } from '../bound.ts'
import { perAxis } from './axis.ts'

function between(least: number, most: number) {
  const value = z.int().min(least).max(most)
  const range = z
    .strictObject({ min: z.exactOptional(value), max: z.exactOptional(value) })
    .refine(({ min, max }) => min !== undefined || max !== undefined, { message: 'needs min or max' })
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
      path: ['max'],
      message: 'is less than min',
    })
    .meta({ minProperties: 1 })
  return z.union([value, z.array(value).min(1).max(64), range])
}

export const workingChips = between(1, mostChips)

export const constraints = z
  .strictObject({
    ...perAxis(z.exactOptional(between(1, mostChips))),
    chips: z.exactOptional(workingChips).describe('Chips that a plan uses; the others stay idle.'),
    zeroStage: z.exactOptional(between(0, 3)),
    microbatches: z.exactOptional(between(1, 1e6)),
    virtualStages: z.exactOptional(between(1, 10_000)),
  })
  .describe('Values that the search may choose, per axis: a number, a list, or {min, max}.')
