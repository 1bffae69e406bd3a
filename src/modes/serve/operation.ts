/**
 * A deployment at a rate λ: P prefill and D generate instances (the same ones where a pair shares chips).
 *
 *   batch        B, the least that keeps up (Little): B/(G·τ) >= λ/D
 *   token        τ = s(B)                         apart
 *                τ = s(B)/(1 - λt/(bD))           together: the rest of the time goes to prefills
 *   prefill      t' = t                           apart
 *                t' = t + n·s(B) + τ/2            together: in n = b·f/c chunks, each in a step of B, from the next one on
 *   chunk        c = min(b·f, ⌊b·f·(T - s(B))/t⌋) of f new tokens of each prompt, so many that no step is over T; or what a step
 *                                                 that is written may have beyond its B
 *   wait         W, of P servers that take b prompts together every t' (arrivals λ/b, service constant)
 *   slots        V, of D·M places that a sequence holds for G·τ (service taken as exponential: outputs vary)
 *   transfer     x, of what is not sent layer by layer while the prefill runs: its last layer's at least
 *
 *   first token = V + W + t' + x,    request = first token + (G - 1)·τ
 *
 * T is the objective for a token. Arrivals are Poisson's, one queue for all instances; b prompts that do not come together are
 * costed as if they did. A step with a chunk in it is taken to last as long as both one after another: fused, they read the
 * weights once, so that it is a little shorter. Not modelled: tails of lengths and waits (all are means), preemption.
 */

import { leastThat } from '../../threshold.ts'
import type { Seconds } from '../../units.ts'
import type { Deployment, Pair } from './pair.ts'
import { meanWait } from './queue.ts'
import { mostUtilization, type Requests } from './requests.ts'
import { type KvTransfer, kvTransfer } from './transfer.ts'

export interface Operation {
  readonly rate: number
  readonly batch: number
  /** Of a step of a server that does both: one of each sequence that generates, and a chunk of prompts. */
  readonly stepTokens: number | null
  readonly stepSeconds: Seconds
  readonly tokenSeconds: Seconds
  readonly prefillSeconds: Seconds
  readonly queueSeconds: Seconds
  readonly slotSeconds: Seconds
  readonly transfer: KvTransfer | null
  readonly firstSeconds: Seconds
  readonly requestSeconds: Seconds
  readonly prefillUtilization: number
  readonly generateUtilization: number
}

/** Null where the deployment cannot keep up. */
function operationAt(
  { pair, prefills, generates }: Deployment,
  requests: Requests,
  rate: number,
): Operation | null {
  const { prefill, generate, slots, disaggregated } = pair
  const { outputLength } = requests
  const own = rate / generates
  const each = disaggregated ? 0 : prefill.seconds / prefill.prompts
  const batch = leastThat(
    slots,
    (count) => own * (outputLength * generate.stepSeconds(count) + count * each) <= count,
  )
  if (batch === null) return null
  const step = generate.stepSeconds(batch)
  const token = step / (1 - own * each)
  const read = promptTokens(pair, requests)
  const stepTokens = disaggregated ? null : (pair.stepTokens ?? mostStepTokens(pair, requests, batch, step))
  const chunk = stepTokens === null ? null : Math.min(read, stepTokens - batch)
  if (chunk !== null && chunk < 1) return null
  const service = prefill.seconds + (chunk === null ? 0 : (read / chunk) * step)
  const prefillSeconds = service + (disaggregated ? 0 : token / 2)
  const queueSeconds = meanWait({
    arrivalsPerSecond: rate / prefill.prompts,
    serviceSeconds: service,
    serviceVariation: 0,
    servers: prefills,
  })
  const transfer = disaggregated ? kvTransfer({ pair, prefills, generates }, requests, rate) : null
  const slotSeconds = slotWait(rate, outputLength * token, generates * slots)
  const firstSeconds = slotSeconds + queueSeconds + prefillSeconds + (transfer?.exposedSeconds ?? 0)
  if (!Number.isFinite(firstSeconds)) return null
  return {
    rate,
    batch,
    stepTokens,
    stepSeconds: step,
    tokenSeconds: token,
    prefillSeconds,
    queueSeconds,
    slotSeconds,
    transfer,
    firstSeconds,
    requestSeconds: firstSeconds + (outputLength - 1) * token,
    // Chunks that are small keep those who wait, whatever the chips have left.
    prefillUtilization: Math.max(
      rate / (prefills * pair.prefillCapacity),
      (rate * service) / (prefills * prefill.prompts),
    ),
    generateUtilization: rate / (generates * pair.generateCapacity),
  }
}

/** Without an objective whole prompts beside all that there is a place for; else so many that no step is over it. */
function mostStepTokens(pair: Pair, requests: Requests, batch: number, step: Seconds): number {
  const whole = promptTokens(pair, requests)
  const { maxPerToken } = requests
  if (maxPerToken === Number.POSITIVE_INFINITY) return pair.slots + whole
  return batch + Math.min(whole, Math.floor((whole * (maxPerToken - step)) / pair.prefill.seconds))
}

/** New ones of the prompts that are read together. */
export function promptTokens(
  { prefill }: Pick<Pair, 'prefill'>,
  { promptLength, cachedPrefixLength }: Requests,
): number {
  return prefill.prompts * (promptLength - cachedPrefixLength)
}

/** The operation that meets the objectives with room to spare, or null. */
export function meets(deployment: Deployment, requests: Requests, rate: number): Operation | null {
  if (rate > capacity(deployment)) return null
  const operation = operationAt(deployment, requests, rate)
  if (!operation || operation.firstSeconds > requests.maxFirst) return null
  if (operation.tokenSeconds > requests.maxPerToken * (1 + rounding)) return null
  const { transfer, prefillUtilization } = operation
  if (prefillUtilization > mostUtilization * (1 + rounding)) return null
  return transfer && transfer.utilization > mostUtilization ? null : operation
}

/** Of sums in another order. */
const rounding = 1e-9

/** Requests a second that a deployment is planned for at most. */
export function capacity({ pair, prefills, generates }: Deployment): number {
  return mostUtilization * Math.min(prefills * pair.prefillCapacity, generates * pair.generateCapacity)
}

/** The highest rate at which the objectives are met: within a part in 10^4 where the first token's wait sets it. */
export function sustained(deployment: Deployment, requests: Requests): Operation | null {
  const most = capacity(deployment)
  const full = meets(deployment, requests, most)
  if (full) return full
  let found: Operation | null = null
  let [met, missed] = [0, most]
  while (missed - met > 1e-4 * most) {
    const middle = (met + missed) / 2
    const operation = meets(deployment, requests, middle)
    if (operation) [met, found] = [middle, operation]
    else missed = middle
  }
  return found
}

/** Where places are six standard deviations more than what is resident on the mean, nobody waits for one. */
function slotWait(rate: number, holdSeconds: Seconds, places: number): Seconds {
  const held = rate * holdSeconds
  if (held + 6 * Math.sqrt(held) < places) return 0
  return meanWait({
    arrivalsPerSecond: rate,
    serviceSeconds: holdSeconds,
    serviceVariation: 1,
    servers: places,
  })
}
