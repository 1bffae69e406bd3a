/** Marks a written deployment as infeasible where it was not found under the request as asked, with the limits that it misses. */
import { compact } from '../../compact.ts'
import { passBudget } from '../../inference/pass/pass-budget.ts'
import { mostUtilization, type Requests } from '../../modes/serve/requests.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import type { Bytes } from '../../units.ts'
import { bytesText, secondsText, threeFigures } from '../explain/figures.ts'
import type { ServePlan } from '../inference-plan.ts'
import type { Infeasibility } from '../plan.ts'

export interface Written {
  readonly sized: Sized
  /** Whether it meets the request as it was asked, with room to spare. */
  readonly met: boolean
  /** Requests a second that are planned for within its limits, where it keeps to all of them but without room to spare; null elsewhere. */
  readonly planned: number | null
}

/** Whether it was not found under the request as asked, though its numbers keep to every limit. */
export function lacksRoomAlone(
  found: Omit<Written, 'planned'>,
  requests: Requests,
  memoryBudget: Bytes,
): boolean {
  return !found.met && exceeded(found, requests, memoryBudget).length === 0
}

export function missed(plan: ServePlan, found: Written, requests: Requests, memoryBudget: Bytes): ServePlan {
  const infeasible = limitsMissed(found, requests, memoryBudget)
  return infeasible.length === 0 ? plan : { ...plan, feasible: false, infeasible }
}

/** Empty where all are met. */
export function limitsMissed(
  found: Written,
  requests: Requests,
  memoryBudget: Bytes,
): readonly Infeasibility[] {
  if (found.met) return []
  const infeasible = exceeded(found, requests, memoryBudget)
  return infeasible.length > 0 ? infeasible : [withoutRoom(requests.rate, found.planned)]
}

/** Limits that its numbers are over. */
function exceeded(
  { sized: { pair, operation } }: Pick<Written, 'sized'>,
  { rate, maxFirst, maxPerToken }: Requests,
  memoryBudget: Bytes,
): readonly Infeasibility[] {
  const short = Math.max(0, shortBytes(pair, memoryBudget))
  return compact<Infeasibility>(
    short > memoryBudget * 1e-12 && {
      ...{ reason: 'memory', pointer: '/memoryBudget', shortBytes: short },
      detail: `not one sequence fits beside what it is read with: a chip is over the memory budget by ${bytesText(short)}`,
    },
    rate !== null &&
      operation.rate < rate * (1 - rounding) && {
        ...{ reason: 'rate', pointer: '/workload/requestsPerSecond' },
        detail: `${rate} requests a second are more than the ${threeFigures(operation.rate)} that it sustains`,
      },
    late('maxTimeToFirstTokenSeconds', 'the first token comes after', operation.firstSeconds, maxFirst),
    late('maxTimePerOutputTokenSeconds', 'a token takes', operation.tokenSeconds, maxPerToken),
  )
}

/** Every limit is met at this rate, but not as servers are planned: with room for bursts. */
function withoutRoom(rate: number | null, planned: number | null): Infeasibility {
  const bursts = `at most ${mostUtilization} of the rate at which servers keep to them is planned for, so that there is room for bursts`
  if (rate === null || planned === null) {
    const pointer = '/workload/maxTimePerOutputTokenSeconds'
    return { reason: 'rate', pointer, detail: `the limits are met on average alone: ${bursts}` }
  }
  return {
    ...{ reason: 'rate', pointer: '/workload/requestsPerSecond' },
    detail: `${rate} requests a second are more than the ${threeFigures(planned)} that are planned for within the limits: at ${rate} they are met on average, but ${bursts}`,
  }
}

function late(field: string, says: string, seconds: number, limit: number): Infeasibility | false {
  const detail = `${says} ${secondsText(seconds)}, over the limit of ${secondsText(limit)}`
  return seconds > limit * (1 + rounding) && { reason: 'latency', pointer: `/workload/${field}`, detail }
}

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9

/** Bytes by which a chip exceeds the budget with the counted sequences, if the deployment was searched with more memory. */
function shortBytes(
  { generate, prefill, slots, copyBytes, disaggregated }: Sized['pair'],
  budget: Bytes,
): Bytes {
  const beyond = generate.size.bench.setting.memoryBudget - budget
  if (beyond <= 0) return 0
  const { bytes, workspace, budget: room } = generate.resident(slots + (disaggregated ? 0 : prefill.prompts))
  if (!disaggregated) return bytes + copyBytes + Math.max(workspace, prefill.workspace) - (room - beyond)
  const { answer, mesh, pass } = prefill.candidate
  const ofPrefill = passBudget(prefill.size.bench, mesh, pass)
  return Math.max(bytes + workspace - (room - beyond), answer.bytes - (ofPrefill - beyond))
}
