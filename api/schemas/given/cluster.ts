/** The hardware of an answer, with names looked up. */
import { z } from 'zod'
import { count, mostChips } from '../bound.ts'
import { bytesPerSecond, chip, latencySeconds, tier, topology } from './chip.ts'

const torusNetwork = z.object({
  kind: z.literal('torus'),
  topology,
  wraps: z.array(z.boolean()).describe('Whether each physical axis closes into a ring.'),
  linkBytesPerSecond: bytesPerSecond,
  hopSeconds: latencySeconds,
  slices: count(mostChips),
  dcnBytesPerSecondPerChip: bytesPerSecond,
  dcnLatencySeconds: latencySeconds,
})

const switchedNetwork = z.object({
  kind: z.literal('switched'),
  tiers: z.array(tier),
  chips: z.exactOptional(count(mostChips)),
})

export const cluster = z.object({
  chip,
  chips: count(mostChips),
  network: z.discriminatedUnion('kind', [torusNetwork, switchedNetwork]),
})
