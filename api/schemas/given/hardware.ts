/** The hardware of a request: a chip, how many, and what differs from the chip's data sheet and network. */
import { z } from 'zod'
import { count, label, mostChips } from '../bound.ts'
import { exactPartial } from '../exact-partial.ts'
import { bytesPerSecond, chipFields, system, tier, topology } from './chip.ts'

const networkOverride = z
  .strictObject({
    scaleUpBytesPerSecondPerChip: z.exactOptional(
      bytesPerSecond.describe('One way: the innermost tier, or all ICI links of a chip at once.'),
    ),
    scaleOutBytesPerSecondPerChip: z.exactOptional(
      bytesPerSecond.describe('One way: every tier above the innermost, or DCN.'),
    ),
    tiers: z.exactOptional(z.array(tier).min(1).max(6).describe('All tiers, innermost first.')),
  })
  .describe("What differs from the chip's own network.")

const chipRequest = z
  .strictObject({ ...chipFields, system: z.exactOptional(system) })
  .describe('`system` may be left out where `network` gives the tiers.')

const { hbmBytes, hbmBytesPerSecond, hostBytesPerSecond, peakFlopsPerSecond, usdPerHour } = chipFields

/** Numbers of a chip that a request may replace. Efficiencies belong to `assumptions`. */
const chipOverride = exactPartial({
  usdPerHour: usdPerHour
    .unwrap()
    .describe("What one chip costs an hour, in place of the catalogue's list price."),
  hbmBytes: hbmBytes.describe("In place of the chip's own."),
  hbmBytesPerSecond: hbmBytesPerSecond.describe("In place of the chip's own."),
  hostBytesPerSecond: hostBytesPerSecond.describe(
    "Between the chip and its host, in place of the chip's own.",
  ),
  peakFlopsPerSecond: peakFlopsPerSecond.describe(
    "Dense peak per type of the operands, in place of the chip's own; types that are not named stay.",
  ),
})

/** Bandwidth beyond the innermost tier under familiar names: there are three ways to give the same number. */
const networkInterface = exactPartial({
  networkBytesPerSecond: bytesPerSecond.describe(
    'What one chip sends, one way, beyond its node or slice: `network.scaleOutBytesPerSecondPerChip` by a shorter name.',
  ),
  nicGbps: z
    .number()
    .min(1e-3)
    .max(1e6)
    .describe(
      'The same in gigabits per second, as network adapters are sold: 400 for one of 400 Gb/s for each chip.',
    ),
})

export const hardwareRequest = z
  .strictObject({
    chip: z.union([label(), chipRequest]).describe('A name from /hardware, or a whole chip.'),
    chips: z.exactOptional(count(mostChips)),
    topology: z.exactOptional(topology),
    slices: z.exactOptional(
      count(mostChips).describe('Slices joined by the data-centre network; 1 by default.'),
    ),
    network: z.exactOptional(networkOverride),
    ...chipOverride,
    ...networkInterface,
  })
  .refine(
    ({ networkBytesPerSecond, nicGbps }) => networkBytesPerSecond === undefined || nicGbps === undefined,
    {
      path: ['nicGbps'],
      message: 'says what networkBytesPerSecond says: one of them is enough',
    },
  )
  .refine(
    ({ networkBytesPerSecond, nicGbps, network }) =>
      network?.scaleOutBytesPerSecondPerChip === undefined ||
      (networkBytesPerSecond ?? nicGbps) === undefined,
    {
      path: ['network', 'scaleOutBytesPerSecondPerChip'],
      message: 'says what networkBytesPerSecond and nicGbps say: one of them is enough',
    },
  )
  .refine((hardware) => hardware.chips !== undefined || hardware.topology !== undefined, {
    message: 'needs chips or topology: how many chips, or of a torus its shape, [4, 4, 4]',
  })
  .refine(({ chip, network }) => typeof chip === 'string' || chip.system || network?.tiers, {
    path: ['chip', 'system'],
    message: 'is required unless network gives the tiers',
  })
  .meta({ anyOf: [{ required: ['chips'] }, { required: ['topology'] }] })

export type HardwareRequest = z.output<typeof hardwareRequest>
