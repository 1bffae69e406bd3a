/** What every answer about plans repeats of its request, with names looked up. */
import { z } from 'zod'
import { assumptions } from '../given/assumptions.ts'
import { cluster } from '../given/cluster.ts'
import { modelSummary } from '../given/model.ts'
import { precisionUsed } from '../given/precision.ts'

export const resolvedFields = {
  model: modelSummary,
  hardware: cluster.describe('As resolved.'),
  precision: precisionUsed,
  assumptions: assumptions.describe('Every number used.'),
  warnings: z.array(z.string()),
} as const
