/** Request and answer of POST /collectives. */

import { z } from 'zod'
import { count, countOrNone, mostChips, quantity } from './bound.ts'
import { assumptionsRequest } from './given/assumptions.ts'
import { hardwareRequest } from './given/hardware.ts'
import { movement } from './names.ts'

export const collectiveRequest = z.strictObject({
  hardware: hardwareRequest,
  op: movement,
  bytes: quantity(1e18).describe('The whole array as the group sees it: gathered, or not yet reduced.'),
  over: z
    .union([
      z.strictObject({
        physical: z
          .array(countOrNone(7))
          .min(1)
          .max(4)
          .describe('Whole physical axes of the torus, by index.'),
      }),
      z.strictObject({
        groupSize: count(mostChips).describe('Chips of one group.'),
        stride: z.exactOptional(count(mostChips).describe('Between neighbours of a group; 1 by default.')),
      }),
    ])
    .describe('The chips that take part.'),
  assumptions: assumptionsRequest.default('calibrated'),
})

export type CollectiveRequest = z.output<typeof collectiveRequest>

export const collectiveResponse = z.object({
  seconds: z.number(),
  bound: z.enum(['bandwidth', 'latency']),
  bandwidthSeconds: z.number(),
  latencySeconds: z.number(),
  effectiveBytesPerSecond: z.number(),
  wraps: z.boolean(),
  tier: z.string().describe('`ici`, `dcn`, or the outermost tier that a group spans.'),
})
