/**
 * Slices of a torus, joined by DCN where there are several.
 *
 * A request gives `topology` (with `slices`, 1 when absent) or `chips`. Chips alone are taken as the squarest
 * legal slice; more than a pod holds, as the fewest equal slices, of more than one host each (what Cloud TPU
 * Multislice asks of its slices).
 */
import type { TorusSystem } from '../chip.ts'
import { type Box, printed, printedSlices, volume } from './box.ts'
import { type ClusterRequest, mostChips, problem, type Resolution } from './cluster-request.ts'
import { completed, nearestChipCounts, sliceProblem, squarestSlice, wraparound } from './slice.ts'

export function torusCluster(request: ClusterRequest, system: TorusSystem): Resolution {
  const { chip, chips, topology, slices, network } = request
  if (network?.tiers) return problem('network/tiers', `${chip.name} is a torus: its network has no tiers.`)
  if (topology) return ofTopology(request, system, topology)
  if (chips === undefined) {
    return problem('chips', `${chip.name} needs a topology or a number of chips.`, [asTopology(system.pod)])
  }
  const given = squarestSlice(system, chips / (slices ?? 1))
  if (given) {
    const warning = `No topology was given: ${counted(slices ?? 1)} of ${printed(given)} taken, the squarest.`
    return cluster(request, system, given, slices ?? 1, [warning])
  }
  const pod = volume(system.pod)
  if (slices !== undefined || chips < pod) return noSlice(request, system, chips, slices ?? 1)
  const host = volume(system.host)
  for (let count = Math.ceil(chips / pod); chips / count > host; count++) {
    const slice = squarestSlice(system, chips / count)
    if (!slice) continue
    const taken = `${counted(count)} of ${printed(slice)} taken, joined by DCN`
    const warning = `${chips} chips are more than one pod holds (${pod}): ${taken}.`
    return cluster(request, system, slice, count, [warning])
  }
  return noEqualSlices(request, system, chips)
}

function ofTopology(request: ClusterRequest, system: TorusSystem, topology: Box): Resolution {
  const { chip, chips, slices = 1 } = request
  const illegal = sliceProblem(system, topology)
  if (illegal) return problem('topology', `${chip.name}: ${illegal.reason}`, illegal.nearest.map(asTopology))
  const held = volume(topology) * slices
  if (chips !== undefined && chips !== held) {
    return problem('chips', `${printedSlices(slices, topology)} are ${held} chips, not ${chips}.`, [
      asChips(held),
    ])
  }
  return cluster(request, system, completed(system, topology), slices, [])
}

function noSlice({ chip }: ClusterRequest, system: TorusSystem, chips: number, slices: number): Resolution {
  const nearest = nearestChipCounts(system, chips / slices).map((count) => count * slices)
  const detail =
    slices === 1
      ? `${chip.name} has no slice of ${chips} chips${nearestText(nearest)}.`
      : `${chip.name} has no ${slices} equal slices that make ${chips} chips${nearestText(nearest)}.`
  return problem('chips', detail, nearest.map(asChips))
}

/** Suggests the nearest counts that make whole pods, or equal slices as few as could hold this many chips. */
function noEqualSlices({ chip }: ClusterRequest, system: TorusSystem, chips: number): Resolution {
  const pod = volume(system.pod)
  const fewest = Math.ceil(chips / pod)
  const counts = [
    ...[fewest - 1, fewest].map((pods) => pods * pod),
    ...nearestChipCounts(system, chips / fewest).map((count) => count * fewest),
  ]
  const below = Math.max(...counts.filter((count) => count < chips))
  const above = Math.min(...counts.filter((count) => count > chips))
  const nearest = [below, above].filter((count) => count <= mostChips)
  const more = `${chips} chips are more than one pod of ${chip.name} holds (${pod})`
  const detail = `${more}, and do not make equal slices${nearestText(nearest)}.`
  return problem('chips', detail, nearest.map(asChips))
}

function cluster(
  { chip, network }: ClusterRequest,
  system: TorusSystem,
  topology: Box,
  slices: number,
  warnings: readonly string[],
): Resolution {
  const { scaleUpBytesPerSecondPerChip: scaleUp, scaleOutBytesPerSecondPerChip: scaleOut } = network ?? {}
  const links = 2 * system.pod.length
  return {
    cluster: {
      chip,
      chips: volume(topology) * slices,
      network: {
        kind: 'torus',
        topology,
        wraps: wraparound(system, topology),
        linkBytesPerSecond: scaleUp === undefined ? system.linkBytesPerSecond : scaleUp / links,
        hopSeconds: system.hopSeconds,
        slices,
        dcnBytesPerSecondPerChip: scaleOut ?? system.dcnBytesPerSecondPerChip,
        dcnLatencySeconds: system.dcnLatencySeconds,
      },
    },
    warnings,
  }
}

function counted(slices: number): string {
  return slices === 1 ? 'one slice' : `${slices} slices`
}

/** There are at most two: one below and one above. */
function nearestText(counts: readonly number[]): string {
  if (counts.length === 0) return ''
  return `; the nearest that can be had ${counts.length === 1 ? 'is' : 'are'} ${counts.join(' and ')}`
}

function asTopology(box: Box): string {
  return `"topology": [${box.join(', ')}]`
}

function asChips(chips: number): string {
  return `"chips": ${chips}`
}
