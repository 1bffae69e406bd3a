/** Turns the hardware of a request into chips and the network between them. */
import { type Basis, bases } from '../../src/assumptions/assumptions.ts'
import { compact } from '../../src/compact.ts'
import { present } from '../../src/fields.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import type { Cluster } from '../../src/hardware/cluster/cluster.ts'
import type { ClusterProblem } from '../../src/hardware/cluster/cluster-request.ts'
import { resolveCluster } from '../../src/hardware/cluster/resolve.ts'
import { kinAmong, kinOf } from '../../src/hardware/kin.ts'
import { type ChipRecord, chipOf } from '../../src/hardware/record.ts'
import type { HardwareAsked } from '../../src/problem.ts'
import { type Catalogue, knownChip, nearestChips } from '../catalogue.ts'
import { leftOutText } from '../hints/left-out-chips.ts'
import { outOfScale } from '../hints/out-of-scale.ts'
import { sliceNamed } from '../hints/slice-names.ts'
import { unknownValue } from '../hints/unknown-name.ts'
import { type Fault, faulty, faultyValue } from '../problems.ts'
import type { HardwareRequest } from '../schemas/given/hardware.ts'
import { capWarning, refuseCap } from './power-cap.ts'

export interface ResolvedHardware {
  readonly cluster: Cluster
  /** The hardware as requested, without its chip. */
  readonly asked: HardwareAsked
  readonly warnings: readonly string[]
}

export function hardwareOf(written: HardwareRequest, basis: Basis, catalogue: Catalogue): ResolvedHardware {
  const request = sliceOf(written, catalogue)
  const scale = outOfScale(request, [...catalogue.chips.values()])
  if (scale.length > 0) throw faulty('invalid-request', scale)
  const asked = askedOf(request)
  const chip = overridden(chosenChip(request, basis, catalogue), request)
  const resolution = resolveCluster({ ...asked, chip })
  if ('cluster' in resolution) {
    const warnings = compact(resolution.warnings, kinWarning(request, chip, basis), capWarning(chip))
    return { ...resolution, asked, warnings }
  }
  const { pointer, ...problem } = resolution.problem
  const fault = { ...problem, pointer: asWritten(pointer, request) }
  throw faultyValue('impossible-combination', { ...fault, ...legalMember(fault) })
}

/** The name of a whole slice says chip and shape, where the request says no more. */
function sliceOf(request: HardwareRequest, catalogue: Catalogue): HardwareRequest {
  const { chip, chips, topology } = request
  if (typeof chip !== 'string' || chips !== undefined || topology) return request
  const slice = knownChip(catalogue, chip) ? null : sliceNamed(catalogue, chip)
  return slice ? { ...request, chip: slice.chip, topology: [...slice.topology] } : request
}

const scaleOut = '/hardware/network/scaleOutBytesPerSecondPerChip'

/** Bytes in a gigabit. */
const gigabit = 1e9 / 8

/** Gives the bandwidth beyond a node the one name that the domain uses. */
function askedOf({ chips, topology, slices, network, networkBytesPerSecond, nicGbps }: HardwareRequest) {
  const beyond = networkBytesPerSecond ?? (nicGbps === undefined ? undefined : nicGbps * gigabit)
  const numbers = beyond === undefined ? network : { ...network, scaleOutBytesPerSecondPerChip: beyond }
  return present({ chips, topology, slices, network: numbers })
}

function asWritten(pointer: string, { networkBytesPerSecond, nicGbps }: HardwareRequest): string {
  if (pointer !== scaleOut) return pointer
  if (nicGbps !== undefined) return '/hardware/nicGbps'
  return networkBytesPerSecond === undefined ? pointer : '/hardware/networkBytesPerSecond'
}

/** The chip with the request's own numbers; of its peaks only those that are named are replaced. */
function overridden(chip: Chip, request: HardwareRequest): Chip {
  const { usdPerHour, hbmBytes, hbmBytesPerSecond, hostBytesPerSecond, peakFlopsPerSecond } = request
  const { boardWatts, powerCapWatts } = request
  const own = {
    ...chip,
    ...present({ usdPerHour, hbmBytes, hbmBytesPerSecond, hostBytesPerSecond, boardWatts, powerCapWatts }),
    peakFlopsPerSecond: { ...chip.peakFlopsPerSecond, ...peakFlopsPerSecond },
  }
  refuseCap(own, powerCapWatts === undefined ? '/hardware/chip/powerCapWatts' : '/hardware/powerCapWatts')
  return own
}

/** A chip that is spelled out, with the kin that is asked for or else the one that it has by its numbers, of either basis. */
function related(
  asked: string | null | undefined,
  { kin: _, ...written }: Chip & Partial<ChipRecord>,
  basis: Basis,
  catalogue: Catalogue,
): Chip {
  const known = () =>
    [...catalogue.chips.values()].flatMap((record) => bases.map((own) => chipOf(record, own)))
  const named = asked && catalogued(catalogue, asked, '/hardware/chip/kin').name
  const kin = named === undefined ? kinAmong(chipOf(written, 'calibrated'), known()) : named
  const chip = chipOf(written, basis)
  return kin === chip.name ? chip : { ...chip, kin }
}

/** Says what a chip that was spelled out under another name is taken for; the book knows of no software. */
function kinWarning({ chip: written }: HardwareRequest, chip: Chip, basis: Basis): string | null {
  const kin = kinOf(chip)
  const said = typeof written === 'string' || written.kin !== undefined
  if (said || kin === chip.name || basis === 'book') return null
  if (kin === null) {
    return `${chip.name} has the peaks of no chip of the catalogue: no software is known on it, and costs are of general constants (hardware.chip.kin may name a chip that it is like)`
  }
  return `${chip.name} has the peaks of ${kin}: software on it (stacks, ways to run experts, published runs) is taken to do as on ${kin} (hardware.chip.kin)`
}

/** Proposes the nearest hardware that exists. */
function legalMember({ pointer, suggestions }: ClusterProblem): Pick<Fault, 'correction'> {
  const [nearest] = suggestions
  if (nearest === undefined) return {}
  const changes = Object.entries(JSON.parse(`{${nearest}}`)).map(([member, value]) => ({
    pointer: `/hardware/${member}`,
    value,
  }))
  const replaced = changes.some((change) => change.pointer === pointer)
  return { correction: compact(!replaced && { pointer, value: null }, changes) }
}

function chosenChip({ chip, network }: HardwareRequest, basis: Basis, catalogue: Catalogue): Chip {
  if (typeof chip !== 'string') {
    const system = chip.system ?? { kind: 'switched', tiers: network?.tiers ?? [] }
    return related(chip.kin, { ...chip, system }, basis, catalogue)
  }
  return chipOf(catalogued(catalogue, chip, '/hardware/chip'), basis)
}

function catalogued(catalogue: Catalogue, chip: string, pointer: string): ChipRecord {
  const known = knownChip(catalogue, chip)
  if (known) return known
  const leftOut = leftOutText(chip)
  const slice = sliceNamed(catalogue, chip)
  const nearest = slice ? [slice.chip] : leftOut ? [] : nearestChips(catalogue, chip)
  const told = slice?.text ?? leftOut
  throw unknownValue('chip', chip, pointer, { nearest, all: `${told}; GET /hardware has all` })
}
