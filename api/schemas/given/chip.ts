/** An accelerator in JSON: as the catalogue has it, or spelled out in a request in place of a name. */

import { z } from 'zod'
import { count, label, quantity, seconds, share } from '../bound.ts'
import { chipKind } from '../names.ts'

const flopsPerSecond = quantity(1e21)
export const bytesPerSecond = quantity(1e18)
export const latencySeconds = seconds(1)

export const topology = z
  .array(count(4096))
  .min(1)
  .max(4)
  .describe('Chips along each physical axis of the torus.')

export const tier = z
  .strictObject({
    name: label(),
    size: count(1e6)
      .nullable()
      .describe('Units of the tier below (chips, for the first); null where unbounded.'),
    bytesPerSecondPerChip: bytesPerSecond.describe('What one chip sends through it, one way, when all send.'),
    latencySeconds,
    inNetworkReduction: z.boolean().describe('The switch can reduce.'),
  })
  .describe('One level of a switched network.')

const wrapRule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('size'), size: count(1e6) }),
  z.strictObject({ kind: z.literal('cubes'), edge: count(1e6) }),
])

const torusSystem = z.strictObject({
  kind: z.literal('torus'),
  linkBytesPerSecond: bytesPerSecond.describe('One link, one direction.'),
  hopSeconds: latencySeconds,
  wrap: wrapRule.describe('When an axis of a slice closes into a ring.'),
  pod: topology.describe('The largest slice.'),
  slices: z.exactOptional(
    z.array(topology).max(1000).describe('Slices on offer; any in whole hosts where absent.'),
  ),
  host: topology,
  dcnBytesPerSecondPerChip: bytesPerSecond,
  dcnLatencySeconds: latencySeconds,
})

const switchedSystem = z.strictObject({
  kind: z.literal('switched'),
  tiers: z.array(tier).min(1).max(6).describe('Innermost first.'),
})

export const system = z.discriminatedUnion('kind', [torusSystem, switchedSystem])

export const efficiency = z
  .strictObject({
    matmul: share(),
    matmulHalfFlops: z.number().min(0).max(1e21),
    attention: share(),
    attentionHalfKeys: z.exactOptional(
      z
        .number()
        .min(0)
        .max(1e6)
        .describe(
          'Keys that a query meets in one kernel of which attention reaches half of it; 0 where absent.',
        ),
    ),
    sustained: z.exactOptional(
      share().describe('Of matmul and attention, what training holds for hours; 1 where absent.'),
    ),
    hbm: share(),
    cache: z.exactOptional(share().describe('Attention that reads caches; as hbm where absent.')),
    scaleUp: share(),
    scaleUpHalfBytes: z.exactOptional(
      z
        .number()
        .min(0)
        .max(1e15)
        .describe('Bytes of a message inside a node that reach half of it; 0 where absent.'),
    ),
    scaleOut: share(),
  })
  .describe('What kernels and collectives reach of the data sheet.')

export const chipFields = {
  name: label(),
  kind: chipKind,
  peakFlopsPerSecond: z
    .strictObject({
      fp32: z.exactOptional(flopsPerSecond),
      bf16: z.exactOptional(flopsPerSecond),
      fp8: z.exactOptional(flopsPerSecond),
      int8: z.exactOptional(flopsPerSecond),
      fp4: z.exactOptional(flopsPerSecond),
      mxfp4: z.exactOptional(flopsPerSecond),
      nvfp4: z.exactOptional(flopsPerSecond),
      int4: z.exactOptional(flopsPerSecond),
    })
    .describe(
      'Dense peak per type of the operands; types that are absent are not supported. `fp4` stands for `mxfp4` and `nvfp4` too.',
    ),
  hbmBytes: quantity(1e15).describe('What a process may allocate, as the driver says.'),
  hbmBytesPerSecond: bytesPerSecond,
  hostBytesPerSecond: bytesPerSecond.describe('Between the chip and its host.'),
  hostMemoryBytes: z.exactOptional(
    quantity(1e16).describe("This chip's share of its host's memory; unlimited where absent."),
  ),
  usdPerHour: z.exactOptional(
    z.number().min(0).max(1e6).describe('List price of one chip for an hour, on demand.'),
  ),
  efficiency,
  system,
} as const

export const chip = z.strictObject(chipFields)
