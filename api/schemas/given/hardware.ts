/** The hardware of a request: a chip, how many, and what differs from the chip's data sheet and network. */
import { z } from 'zod'
import { count, label, mostChips } from '../bound.ts'
import { bookFigures, chipNames, sources } from '../cited.ts'
import { exactPartial } from '../exact-partial.ts'
import { optional } from '../field.ts'
import { bytesPerSecond, chipFields, kin, system, tier, topology } from './chip.ts'

const networkOverride = z
  .strictObject({
    scaleUpBytesPerSecondPerChip: optional(
      'Bandwidth per chip, one way, of the innermost tier, or of all ICI links of a chip together.',
      bytesPerSecond,
    ),
    scaleOutBytesPerSecondPerChip: optional(
      'Bandwidth per chip, one way, of every tier above the innermost, or of the DCN.',
      bytesPerSecond,
    ),
    tiers: z.exactOptional(z.array(tier).min(1).max(6).describe('All tiers, innermost first.')),
  })
  .describe("Numbers that replace those of the chip's own network.")

const chipRequest = z
  .strictObject({
    ...chipFields,
    kin,
    system: z.exactOptional(system),
    ...exactPartial({ ...chipNames, sources }),
    book: bookFigures,
  })
  .describe(
    'As /hardware/{name} answers it, with numbers of your own; `system` may be left out where `network` gives the tiers.',
  )

const { hbmBytes, hbmBytesPerSecond, hostBytesPerSecond, peakFlopsPerSecond, usdPerHour } = chipFields
const { boardWatts, powerCapWatts } = chipFields

/** Numbers of a chip that a request may replace. Efficiencies belong to `assumptions`. */
const chipOverride = exactPartial({
  usdPerHour: usdPerHour
    .unwrap()
    .describe("Price of one chip per hour in US dollars, in place of the catalogue's list price."),
  hbmBytes: hbmBytes.describe("Memory per chip, in place of the chip's own."),
  hbmBytesPerSecond: hbmBytesPerSecond.describe("HBM bandwidth, in place of the chip's own."),
  hostBytesPerSecond: hostBytesPerSecond.describe(
    "Bandwidth between the chip and its host, in place of the chip's own.",
  ),
  boardWatts: boardWatts.unwrap().describe("The most that a chip's board draws, in place of the chip's own."),
  powerCapWatts: powerCapWatts.unwrap(),
  peakFlopsPerSecond: peakFlopsPerSecond.describe(
    "Dense peak FLOP/s by element type of the operands, in place of the chip's own; types that are not named keep theirs.",
  ),
})

/** Bandwidth beyond the innermost tier under familiar names: there are three ways to give the same number. */
const networkInterface = exactPartial({
  networkBytesPerSecond: bytesPerSecond.describe(
    'Bandwidth per chip, one way, beyond its node or slice: a shorter name for `network.scaleOutBytesPerSecondPerChip`.',
  ),
  nicGbps: z
    .number()
    .min(1e-3)
    .max(1e6)
    .describe('The same in gigabits per second: 400 for one 400 Gb/s adapter per chip.'),
})

/**
 * A shape in Google Cloud's words (`--topology=4x4x8`). Of v4 and v5p some may be had twisted (cloud.google.com/tpu/docs/v5p, "Supports
 * twisted?").
 */
const shapeText = z
  .string()
  .max(40)
  .regex(/^[1-9]\d{0,3}(x[1-9]\d{0,3}){0,3}(_twisted)?$/)
  .superRefine((text, context) => {
    if (!text.endsWith(twisted)) return
    const message = `is a twisted torus, whose axes close onto chips that are shifted along another: that is not modelled. ${text.slice(0, -twisted.length)} is costed as a plain torus, in which chips that are far apart have less bandwidth between them`
    const params = { meant: { topology: sizesOf(text.slice(0, -twisted.length)) } }
    context.addIssue({ code: 'custom', message, params })
  })
  .transform(sizesOf)
  .pipe(topology)

const twisted = '_twisted'

function sizesOf(shape: string): number[] {
  return shape.split('x').map(Number)
}

/** A chip and a number may be Google's name of a whole slice, whose shape it says; the catalogue knows. */
const sliceName = '-[0-9]{1,6}$'

function isSlice(chip: unknown): boolean {
  return typeof chip === 'string' && new RegExp(sliceName).test(chip)
}

export const hardwareRequest = z
  .strictObject({
    chip: z
      .union([label(), chipRequest])
      .describe(
        "A name from /hardware, a whole chip, or Google's name of a slice (`v6e-8`) without `chips` and `topology`.",
      ),
    chips: optional('Number of chips; on a torus `topology` may stand instead.', count(mostChips)),
    topology: z.exactOptional(
      z
        .union([topology, shapeText])
        .describe(
          'Chips along each physical axis of the torus: `[4, 4, 8]`, or as Google Cloud writes it, `4x4x8`.',
        ),
    ),
    slices: optional('Slices joined by the data-centre network; 1 by default.', count(mostChips)),
    network: z.exactOptional(networkOverride),
    ...chipOverride,
    ...networkInterface,
  })
  .refine(
    ({ networkBytesPerSecond, nicGbps }) => networkBytesPerSecond === undefined || nicGbps === undefined,
    {
      path: ['nicGbps'],
      message: 'sets the same bandwidth as networkBytesPerSecond: give one of the two',
    },
  )
  .refine(
    ({ networkBytesPerSecond, nicGbps, network }) =>
      network?.scaleOutBytesPerSecondPerChip === undefined ||
      (networkBytesPerSecond ?? nicGbps) === undefined,
    {
      path: ['network', 'scaleOutBytesPerSecondPerChip'],
      message: 'sets the same bandwidth as networkBytesPerSecond and nicGbps: give one of them',
    },
  )
  .refine(({ chip, chips, topology }) => chips !== undefined || topology !== undefined || isSlice(chip), {
    message: 'needs chips or topology: the number of chips, or the shape of a torus, such as [4, 4, 4]',
  })
  .refine(({ chip, network }) => typeof chip === 'string' || chip.system || network?.tiers, {
    path: ['chip', 'system'],
    message: 'is required unless network gives the tiers',
  })
  .meta({
    anyOf: [
      { required: ['chips'] },
      { required: ['topology'] },
      { properties: { chip: { type: 'string', pattern: sliceName } } },
    ],
  })

export type HardwareRequest = z.output<typeof hardwareRequest>
