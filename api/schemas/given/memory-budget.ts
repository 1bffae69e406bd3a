/** How much of a chip's memory a plan may fill. */
import { z } from 'zod'
import { amount, share } from '../bound.ts'
import { optional } from '../field.ts'

export const memoryBudget = z
  .strictObject({
    bytesPerChip: optional('Bytes on each chip, above 0 and at most those of its HBM.', amount(1e15)),
    fraction: optional(
      "Fraction of the chip's HBM.",
      share("is a fraction of the chip's HBM, at most 1: give bytes as bytesPerChip"),
    ),
  })
  .refine((budget) => (budget.bytesPerChip === undefined) !== (budget.fraction === undefined), {
    message: 'needs exactly one of bytesPerChip and fraction',
  })
  .meta({ oneOf: [{ required: ['bytesPerChip'] }, { required: ['fraction'] }] })

export type MemoryBudget = z.output<typeof memoryBudget>
