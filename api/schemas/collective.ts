/** Request and answer of POST /collectives. */
import { z } from 'zod'
import { count, countOrNone, mostChips, quantity } from './bound.ts'
import { flag, number, optional, text } from './field.ts'
import { assumptionsRequest } from './given/assumptions.ts'
import { hardwareRequest } from './given/hardware.ts'
import { movement } from './names.ts'

export const collectiveRequest = z.strictObject({
  hardware: hardwareRequest,
  op: movement,
  bytes: quantity(1e18).describe(
    'Bytes of the whole array as the group sees it: gathered, or not yet reduced.',
  ),
  over: z
    .union([
      z.strictObject({
        physical: z
          .array(countOrNone(7))
          .min(1)
          .max(4)
          .describe('Indices of whole physical axes of the torus.'),
      }),
      z.strictObject({
        groupSize: count(mostChips).describe(
          'Chips of one group. On a torus, more than a slice has lie in several slices, with as many in each.',
        ),
        stride: optional(
          'Distance between neighbours of a group, in chips; 1 by default. On a torus, the chips of a whole slice make a group of one chip in each of its slices.',
          count(mostChips),
        ),
      }),
    ])
    .describe('The chips that take part.'),
  assumptions: assumptionsRequest.default('calibrated'),
})

export type CollectiveRequest = z.output<typeof collectiveRequest>

export const collectiveResponse = z.object({
  seconds: number('Time of the collective.'),
  bound: z.enum(['bandwidth', 'latency']).describe('Which of the two parts is larger.'),
  bandwidthSeconds: number('Time of the bytes at the bandwidth of the network.'),
  latencySeconds: number('Latency: added to that time, or a lower bound of it.'),
  effectiveBytesPerSecond: number('`bytes` divided by `seconds`.'),
  wraps: flag('Whether the chips form a closed ring.'),
  tier: text(
    'The network that is used: `ici`, `dcn`, or behind switches the outermost tier that the group spans.',
  ),
})
