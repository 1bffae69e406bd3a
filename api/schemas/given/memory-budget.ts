/** How much of a chip's memory a plan may fill. */
import { z } from 'zod'
import { quantity, share } from '../bound.ts'

export const memoryBudget = z
  .strictObject({
    bytesPerChip: z.exactOptional(quantity(1e15)),
    fraction: z.exactOptional(
      share("is a fraction of the chip's HBM, at most 1: give bytes as bytesPerChip").describe(
        "Fraction of the chip's HBM.",
      ),
    ),
  })
  .refine((budget) => (budget.bytesPerChip === undefined) !== (budget.fraction === undefined), {
    message: 'needs exactly one of bytesPerChip and fraction',
  })
  .meta({ oneOf: [{ required: ['bytesPerChip'] }, { required: ['fraction'] }] })

export type MemoryBudget = z.output<typeof memoryBudget>
