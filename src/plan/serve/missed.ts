/** Marks a written deployment as infeasible where it was not found under the request as asked, with the limits that it misses. */
import { compact } from '../../compact.ts'
import type { Sized } from '../../modes/serve/counts.ts'
import { mostUtilization, type Requests } from '../../modes/serve/requests.ts'
import type { Bytes } from '../../units.ts'
import { bytesText, secondsText, threeFigures } from '../explain/figures.ts'
import type { ServePlan } from '../inference-plan.ts'
import type { Infeasibility } from '../plan.ts'

export interface Written {
  readonly sized: Sized
  /** Whether it meets the request as it was asked, with room to spare. */
  readonly met: boolean
}

export function missed(plan: ServePlan, found: Written, requests: Requests, memoryBudget: Bytes): ServePlan {
  const infeasible = limitsMissed(found, requests, memoryBudget)
  return infeasible.length === 0 ? plan : { ...plan, feasible: false, infeasible }
}

/** Empty where all are met. */
export function limitsMissed(
  { sized: { pair, operation }, met }: Written,
  { rate, maxFirst, maxPerToken }: Requests,
  memoryBudget: Bytes,
): readonly Infeasibility[] {
  if (met) return []
  const short = Math.max(0, shortBytes(pair, memoryBudget))
  const infeasible = compact<Infeasibility>(
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
  return infeasible.length > 0 ? infeasible : [withoutRoom(rate)]
}

/** Every limit is met at this rate, but not as servers are planned: with room for bursts. */
function withoutRoom(rate: number | null): Infeasibility {
  return {
    reason: 'rate',
    pointer: rate === null ? '/workload/maxTimePerOutputTokenSeconds' : '/workload/requestsPerSecond',
    detail: `the limits are met on average, but not with room for bursts: of the rate at which servers keep to them, at most ${mostUtilization} is planned for`,
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
  const { answer, questions } = prefill.candidate
  const [{ budget: ofPrefill = room } = {}] = questions
  return Math.max(bytes + workspace - (room - beyond), answer.bytes - (ofPrefill - beyond))
}
