/** Any number of chips behind switches; the last group of a tier may be partly filled. */
import { compact } from '../../compact.ts'
import type { SwitchedSystem, Tier } from '../chip.ts'
import { volume } from './box.ts'
import { type ClusterRequest, type NetworkOverride, problem, type Resolution } from './cluster-request.ts'

export function switchedCluster(request: ClusterRequest, system: SwitchedSystem): Resolution {
  const { chip, chips, topology, slices, network } = request
  if (topology) {
    const detail = `${chip.name} is connected by switches: it takes a number of chips and no topology${chips === undefined ? '' : `; leave it out for the ${chips} chips that are asked for`}.`
    return problem('topology', detail, chips === undefined ? [`"chips": ${volume(topology)}`] : [])
  }
  if (slices !== undefined) return problem('slices', `${chip.name} does not come in slices.`)
  if (chips === undefined) return problem('chips', `${chip.name} needs a number of chips.`, ['"chips": 8'])

  const own = network?.tiers ?? evenDomains(system.tiers, chips)
  const fault = tiersFault(own)
  if (fault) return problem('network/tiers', fault)
  const scaleOut = network?.scaleOutBytesPerSecondPerChip
  if (scaleOut !== undefined && own.length === 1) {
    const detail = 'There is no tier above the innermost that this could be the bandwidth of.'
    return problem('network/scaleOutBytesPerSecondPerChip', detail)
  }
  const capacity = own.reduce((units, tier) => units * (tier.size ?? Number.POSITIVE_INFINITY), 1)
  if (chips > capacity) {
    const detail = `The tiers hold ${capacity} chips, not ${chips}; let the size of the outermost be null.`
    return problem('chips', detail, [`"chips": ${capacity}`])
  }
  return {
    cluster: {
      chip,
      chips,
      network: { kind: 'switched', tiers: own.map((tier, at) => overridden(tier, at, network)), chips },
    },
    warnings: compact(!network?.tiers && sharedOut(system.tiers, own, chips), unfilled(own, chips)),
  }
}

/**
 * Spreads chips evenly over domains when the share is a power of two: 256 chips of NVL72 are 64 of each of four domains, as jobs are
 * placed, not three whole ones and 40, so that groups of 16 or 32 chips lie within domains. Otherwise domains are filled in turn.
 */
function evenDomains(tiers: readonly Tier[], chips: number): readonly Tier[] {
  const [innermost, ...outer] = tiers
  if (!innermost?.size || chips < innermost.size || chips % innermost.size === 0) return tiers
  const share = chips / Math.ceil(chips / innermost.size)
  return Number.isInteger(Math.log2(share)) ? [{ ...innermost, size: share }, ...outer] : tiers
}

function sharedOut([whole]: readonly Tier[], [share]: readonly Tier[], chips: number): string | null {
  if (!whole?.size || !share?.size || share.size >= whole.size || chips <= share.size) return null
  return `${chips} chips are taken as ${share.size} in each of ${chips / share.size} ${whole.name} groups of ${whole.size}; hardware.network.tiers says it otherwise.`
}

function overridden(tier: Tier, at: number, network: NetworkOverride | undefined): Tier {
  const bandwidth = at === 0 ? network?.scaleUpBytesPerSecondPerChip : network?.scaleOutBytesPerSecondPerChip
  return bandwidth === undefined ? tier : { ...tier, bytesPerSecondPerChip: bandwidth }
}

function tiersFault(tiers: readonly Tier[]): string | null {
  if (tiers.length === 0) return 'At least one tier is needed.'
  const unbounded = tiers.slice(0, -1).find((tier) => tier.size === null)
  if (unbounded) return `Only the outermost tier may be unbounded; ${unbounded.name} is not the outermost.`
  const broken = tiers.find(({ size }) => size !== null && !(Number.isInteger(size) && size >= 1))
  if (broken) return `The tier ${broken.name} needs a whole number of units, at least 1.`
  const idle = tiers.find((tier) => !(tier.bytesPerSecondPerChip > 0))
  return idle ? `The tier ${idle.name} needs a bandwidth above 0.` : null
}

function unfilled(tiers: readonly Tier[], chips: number): string | null {
  const [innermost] = tiers
  if (!innermost?.size || chips <= innermost.size || chips % innermost.size === 0) return null
  const last = chips % innermost.size
  return `${chips} chips do not fill their ${innermost.name} groups of ${innermost.size}: the last one has ${last}.`
}
