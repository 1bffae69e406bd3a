/** The part of a plan that follows from its account alone; each mode adds its choices and its explanation. */
import { compact } from '../compact.ts'
import { type Chip, hostRoom } from '../hardware/chip.ts'
import { type Cluster, chipsAsked } from '../hardware/cluster/cluster.ts'
import { withNetworks } from '../hardware/cluster/scaled-cluster.ts'
import { resourceCount } from '../hardware/network/collective.ts'
import type { Bytes } from '../units.ts'
import type { Account } from './account/account.ts'
import { changedCluster } from './account/elsewhere.ts'
import { busiestNetwork, withHalf } from './account/network-use.ts'
import { axisPlacements } from './account/placement.ts'
import { shardingsOf } from './account/shardings.ts'
import { tokenRates } from './account/token-rates.ts'
import { utilization } from './account/utilization.ts'
import { boundWindows, windowHeadroom } from './account/window.ts'
import { boundsOf, uncertaintyOf } from './certainty/uncertainty.ts'
import { bytesText } from './explain/figures.ts'
import type { Infeasibility, MemoryAccount, Plan } from './plan.ts'

/** What `robustness` assumes to be worse than planned: networks at 0.8 of the data sheet's bandwidth, plans that need 1.1 of the counted memory. */
const worse = { networks: 0.8, memory: 1.1 } as const

function withWorse(cluster: Cluster): Cluster {
  return changedCluster(cluster, 'worse', () => withNetworks(cluster, () => worse.networks))
}

/** Why a plan does not fit: into its budget, or into the host's memory. */
export const memoryReasons: readonly string[] = ['memory', 'hostMemory']

/** What goes to the host is more than a chip's share of the host's memory. */
function hostTooFull(host: Bytes, room: Bytes): Infeasibility {
  const shortBytes = host - room
  const detail = `${bytesText(host)} per chip go to the host, ${bytesText(shortBytes)} more than a chip's share of its memory, ${bytesText(room)}`
  return { reason: 'hostMemory', pointer: '/hardware', detail, shortBytes }
}

/** What of a plan is over its budget, or over the host's memory. */
export function unfitting(
  memory: MemoryAccount,
  chip: Chip,
  tooFull: (shortBytes: number) => string,
): readonly Infeasibility[] {
  const shortBytes = memory.total - memory.budget
  const room = hostRoom(chip)
  const full = shortBytes > memory.budget * 1e-12
  return compact<Infeasibility>(
    full && { reason: 'memory', pointer: '/memoryBudget', detail: tooFull(shortBytes), shortBytes },
    memory.host > room * (1 + 1e-12) && hostTooFull(memory.host, room),
  )
}

/** `components` names the layout of each component; `tooFull` makes the message for a plan that is so many bytes over the budget. */
export function outline(
  account: Account,
  components: Readonly<Record<string, string>>,
  launches: Plan['launch'],
  tooFull: (shortBytes: number) => string,
) {
  const { mode, setting, mesh, seconds, time, memory, movements, windows } = account
  const { cluster } = setting
  // The link to the host comes after all parts of the network.
  const bound = boundWindows(windows, resourceCount(cluster.network) + 1)
  const busiest = busiestNetwork(cluster.network, movements, time.hostTransfer, bound.byPart)
  const infeasible = unfitting(memory, cluster.chip, tooFull)
  const feasible = infeasible.length === 0
  const overlapSeconds = [account.lowerBound, account.upperBound] as const
  const uncertainty = uncertaintyOf(setting, mode, launches, seconds)
  const told = {
    feasible,
    ...(feasible ? {} : { infeasible }),
    chips: cluster.chips,
    idleChips: chipsAsked(cluster) - cluster.chips,
    mesh,
    placement: axisPlacements(account.placement, mesh, cluster),
    layout: {
      components,
      shardings: shardingsOf(account.components),
      algorithm: account.algorithm,
    },
    stepTimeSeconds: seconds,
    ...boundsOf(overlapSeconds, uncertainty),
    overlapSeconds,
    uncertainty,
    ...utilization(account),
    ...tokenRates(account),
    timeSeconds: time,
    memoryBytes: memory,
    headroom: {
      communication: windowHeadroom(windows),
      memory: memory.budget / memory.total,
      atHalfBandwidth: busiest && {
        network: busiest.name,
        stepTimeSeconds: account.secondsOn(withHalf(cluster, busiest.name)),
      },
      robustness: {
        ...worse,
        stepTimeSeconds: account.secondsOn(withWorse(cluster)),
        fits: worse.memory * memory.total <= memory.budget,
      },
    },
    collectives: movements.map(({ line }) => line),
    againstFirst: null,
    choice: null,
  } satisfies Partial<Plan>
  return { told, bound, busiest }
}
