/** An accelerator in JSON: as the catalogue has it, or spelled out in a request in place of a name. */
import { z } from 'zod'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { amount, count, label, quantity, share } from '../bound.ts'
import { flag, optional, orNull } from '../field.ts'
import { chipKind, elementType } from '../names.ts'

const flopsPerSecond = quantity(1e21)

/** A schema with one field for each element type. */
function perType<Value extends z.ZodType>(value: Value) {
  return Object.fromEntries(elementType.options.map((type) => [type, value])) as Record<ElementType, Value>
}

export const bytesPerSecond = quantity(1e18)
export const latencySeconds = amount(1)

export const topology = z
  .array(count(4096))
  .min(1)
  .max(4)
  .describe('Chips along each physical axis of the torus.')

export const tier = z
  .strictObject({
    name: label(),
    size: orNull(
      'Units of the tier below in one unit of this tier (chips, for the first tier); null where there is no limit.',
      count(1e6),
    ),
    bytesPerSecondPerChip: bytesPerSecond.describe(
      'Bandwidth per chip through this tier, one way, while all chips send.',
    ),
    latencySeconds,
    inNetworkReduction: flag('Whether its switches can reduce in the network (SHARP).'),
    direct: optional(
      'Whether one kernel reaches all units behind the switch at once, as over NVLink; false where collectives go in rings, as over PCIe. True where absent.',
      z.boolean(),
    ),
  })
  .describe('One level of a switched network.')

const wrapRule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('size'), size: count(1e6) }),
  z.strictObject({ kind: z.literal('cubes'), edge: count(1e6) }),
])

const torusSystem = z.strictObject({
  kind: z.literal('torus'),
  linkBytesPerSecond: bytesPerSecond.describe('Bandwidth of one link in one direction.'),
  hopSeconds: latencySeconds,
  wrap: wrapRule.describe(
    'When an axis of a slice has wrap-around links: if it has this size, or if it is a multiple of this edge.',
  ),
  pod: topology.describe('The largest slice.'),
  slices: optional(
    'Slice shapes that are offered; where absent, any shape of whole hosts.',
    z.array(topology).max(1000),
  ),
  host: topology,
  dcnBytesPerSecondPerChip: bytesPerSecond,
  dcnLatencySeconds: latencySeconds,
})

const switchedSystem = z.strictObject({
  kind: z.literal('switched'),
  tiers: z.array(tier).min(1).max(6).describe('Tiers of switches, innermost first.'),
})

export const system = z.discriminatedUnion('kind', [torusSystem, switchedSystem])

const efficiency = z
  .strictObject({
    matmul: share().describe('Fraction of peak FLOP/s that a large matmul reaches.'),
    matmulHalfFlops: amount(1e21).describe('FLOP of a matmul that reaches half of that.'),
    attention: share().describe('Fraction of peak FLOP/s that the attention kernel reaches.'),
    attentionHalfKeys: optional(
      'Keys per query and kernel at which attention reaches half of that; 0 where absent.',
      amount(1e6),
    ),
    sustained: optional(
      'Fraction of short-term matmul and attention speed that training sustains for hours; 1 where absent.',
      share(),
    ),
    hbm: share().describe('Fraction of HBM bandwidth that kernels reach.'),
    cache: optional(
      'Fraction of HBM bandwidth that attention reaches while it reads KV caches; as `hbm` where absent.',
      share(),
    ),
    scaleUp: share().describe('Fraction of link bandwidth that collectives reach inside a slice or node.'),
    scaleUpHalfBytes: optional(
      'Message size in bytes at which a collective inside a node reaches half of that; 0 where absent.',
      amount(1e15),
    ),
    scaleOut: share().describe(
      'Fraction of network bandwidth that collectives reach between slices or nodes.',
    ),
  })
  .describe('Fractions of the data sheet that kernels and collectives reach.')

export const chipFields = {
  name: label(),
  kind: chipKind,
  peakFlopsPerSecond: z
    .strictObject(perType(z.exactOptional(flopsPerSecond)))
    .describe(
      'Dense peak FLOP/s by element type of the operands; types that are absent are not supported. `fp4` stands for `mxfp4` and `nvfp4` too.',
    ),
  hbmBytes: quantity(1e15).describe('Memory that a process may allocate, as the driver reports it.'),
  hbmBytesPerSecond: bytesPerSecond,
  hostBytesPerSecond: bytesPerSecond.describe('Bandwidth between the chip and its host, one way.'),
  hostMemoryBytes: optional(
    "This chip's share of its host's memory; unlimited where absent.",
    quantity(1e16),
  ),
  usdPerHour: optional('On-demand list price of one chip for an hour, in US dollars.', amount(1e6)),
  boardWatts: optional('The most power that one chip with its board draws, in watts.', quantity(1e5)),
  powerCapWatts: optional(
    'The power that it is held to (`nvidia-smi -pl`), in watts: matmuls and attention keep the root of its share of `boardWatts`. No cap where absent.',
    quantity(1e5),
  ),
  devicesPerChip: optional(
    'Devices that software sees on a TPU (2 on TPU7x); 1 where absent. Launches count in them, costs and plans in chips.',
    count(64),
  ),
  efficiency,
  system,
} as const

/** A request may say it, and an answer does where a chip was spelled out. */
export const kin = optional(
  'The chip of /hardware whose software (stacks, ways to run experts, published runs) is taken to run on it as well; null for none. By default the one with the same peaks, and the same other numbers if several have these.',
  z.nullable(label()),
)

export const chip = z.strictObject({ ...chipFields, kin })
