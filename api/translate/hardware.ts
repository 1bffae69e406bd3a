/** Turns the hardware of a request into chips and the network between them. */
import type { Basis } from '../../src/assumptions/assumptions.ts'
import { compact } from '../../src/compact.ts'
import { present } from '../../src/fields.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import type { Cluster } from '../../src/hardware/cluster/cluster.ts'
import type { ClusterProblem } from '../../src/hardware/cluster/cluster-request.ts'
import { resolveCluster } from '../../src/hardware/cluster/resolve.ts'
import { chipOf } from '../../src/hardware/record.ts'
import type { HardwareAsked } from '../../src/problem.ts'
import { type Catalogue, knownChip, nearestChips } from '../catalogue.ts'
import { leftOutText } from '../hints/left-out-chips.ts'
import { sliceNamed } from '../hints/slice-names.ts'
import { unknownValue } from '../hints/unknown-name.ts'
import { type Fault, faultyValue } from '../problems.ts'
import type { HardwareRequest } from '../schemas/given/hardware.ts'

export interface ResolvedHardware {
  readonly cluster: Cluster
  /** The hardware as requested, without its chip. */
  readonly asked: HardwareAsked
  readonly warnings: readonly string[]
}

export function hardwareOf(written: HardwareRequest, basis: Basis, catalogue: Catalogue): ResolvedHardware {
  const request = sliceOf(written, catalogue)
  const asked = askedOf(request)
  const chip = overridden(chosenChip(request, basis, catalogue), request)
  const resolution = resolveCluster({ ...asked, chip })
  if ('cluster' in resolution) return { ...resolution, asked }
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
  return {
    ...chip,
    ...present({ usdPerHour, hbmBytes, hbmBytesPerSecond, hostBytesPerSecond }),
    peakFlopsPerSecond: { ...chip.peakFlopsPerSecond, ...peakFlopsPerSecond },
  }
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
    return chipOf({ ...chip, system }, basis)
  }
  const known = knownChip(catalogue, chip)
  if (known) return chipOf(known, basis)
  const leftOut = leftOutText(chip)
  const slice = sliceNamed(catalogue, chip)
  const nearest = slice ? [slice.chip] : leftOut ? [] : nearestChips(catalogue, chip)
  const told = slice?.text ?? leftOut
  throw unknownValue('chip', chip, '/hardware/chip', { nearest, all: `${told}; GET /hardware has all` })
}
