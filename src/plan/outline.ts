/** The part of a plan that follows from its account alone; each mode adds its choices and its explanation. */
import { chipsAsked } from '../hardware/cluster/cluster.ts'
import { withNetworks } from '../hardware/cluster/scaled-cluster.ts'
import type { Account } from './account/account.ts'
import { busiestNetwork, type NetworkUse, withHalf } from './account/network-use.ts'
import { axisPlacements } from './account/placement.ts'
import { shardingsOf } from './account/shardings.ts'
import { type CostedTokens, tokenCost } from './account/token-cost.ts'
import { utilization } from './account/utilization.ts'
import { boundsOf, uncertaintyOf } from './certainty/uncertainty.ts'
import { kernelSeconds } from './explain/binding.ts'
import type { Plan } from './plan.ts'

const costedTokens: Readonly<Record<Account['mode'], CostedTokens>> = {
  train: 'trained',
  prefill: 'prompt',
  generate: 'generated',
}

type Told =
  | 'feasible'
  | 'infeasible'
  | 'chips'
  | 'idleChips'
  | 'mesh'
  | 'placement'
  | 'layout'
  | 'stepTimeSeconds'
  | 'lowerBoundSeconds'
  | 'upperBoundSeconds'
  | 'overlapSeconds'
  | 'uncertainty'
  | 'mfu'
  | 'hfu'
  | 'mfuPeak'
  | 'mfuOfBf16Peak'
  | 'tokensPerSecond'
  | 'tokensPerSecondPerChip'
  | 'costPerMillionTokensUsd'
  | 'costedTokens'
  | 'timeSeconds'
  | 'memoryBytes'
  | 'headroom'
  | 'collectives'
  | 'againstFirst'
  | 'choice'

/** What `robustness` assumes to be worse than planned: networks at 0.8 of the data sheet's bandwidth, plans that need 1.1 of the counted memory. */
const worse = { networks: 0.8, memory: 1.1 } as const

export interface Outline {
  readonly told: Pick<Plan, Told>
  readonly busiest: NetworkUse | null
}

/** `components` names the layout of each component; `tooFull` makes the message for a plan that is so many bytes over the budget. */
export function outline(
  account: Account,
  components: Readonly<Record<string, string>>,
  launches: Plan['launch'],
  tooFull: (shortBytes: number) => string,
): Outline {
  const { mode, setting, mesh, seconds, time, memory, movements, tokens } = account
  const { cluster, precision } = setting
  const busiest = busiestNetwork(cluster.network, movements, time.hostTransfer)
  const paid = chipsAsked(cluster)
  const tokensPerSecond = tokens / seconds
  const shortBytes = memory.total - memory.budget
  const feasible = shortBytes <= memory.budget * 1e-12
  const overlapSeconds = [account.lowerBound, account.upperBound] as const
  const uncertainty = uncertaintyOf(setting, mode, launches, seconds)
  const full = () => ({ reason: 'memory', pointer: '/memoryBudget', detail: tooFull(shortBytes), shortBytes })
  return {
    busiest,
    told: {
      feasible,
      ...(feasible ? {} : { infeasible: [full()] }),
      chips: cluster.chips,
      idleChips: paid - cluster.chips,
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
      ...utilization(cluster, precision, seconds)(account.usefulFlops, account.executedFlops),
      tokensPerSecond,
      tokensPerSecondPerChip: tokensPerSecond / paid,
      ...tokenCost(cluster.chip, paid, tokensPerSecond, costedTokens[mode]),
      timeSeconds: time,
      memoryBytes: memory,
      headroom: {
        communication: busiest && kernelSeconds(time) / busiest.seconds,
        memory: memory.budget / memory.total,
        atHalfBandwidth: busiest && {
          network: busiest.name,
          stepTimeSeconds: account.secondsOn(withHalf(cluster, busiest.name)),
        },
        robustness: {
          ...worse,
          stepTimeSeconds: account.secondsOn(withNetworks(cluster, () => worse.networks)),
          fits: worse.memory * memory.total <= memory.budget,
        },
      },
      collectives: movements.map(({ line }) => line),
      againstFirst: null,
      choice: null,
    },
  }
}
