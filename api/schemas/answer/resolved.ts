/** What every answer about plans repeats of its request, with names looked up. */
import type { z } from 'zod'
import { texts } from '../field.ts'
import { assumptions } from '../given/assumptions.ts'
import { cluster } from '../given/cluster.ts'
import { modelSummary } from '../given/model.ts'
import { precisionUsed } from '../given/precision.ts'

export function modeOf<Mode extends z.ZodType>(mode: Mode): Mode {
  return mode.describe('The mode of the workload.')
}

export const resolvedFields = {
  model: modelSummary.describe('The model, with what is counted of it.'),
  hardware: cluster.describe('The hardware, with names looked up.'),
  precision: precisionUsed.describe('The element types that were used.'),
  assumptions: assumptions.describe('Every assumption that was used, with its value.'),
  warnings: texts('What was assumed or left out, and may matter.'),
} as const
