/**
 * A deployment that answers λ requests per second: P prefill and D generate instances (the same ones if a pair shares
 * chips).
 *
 *   batch        B, the least that keeps up (Little's law): B/(G·τ) >= λ/D
 *   step         σ = s(B)                         apart
 *                σ = s(B)/(1 - λt/(bD))           together: the rest of the time goes to prefills
 *   token        τ = σ/E                          for E tokens that a step gives a sequence: one, or more where drafts
 *                                                 are accepted (pace.ts)
 *   prefill      t' = t                           apart
 *                t' = t + n·s(B) + σ/2            together: in n = b·f/c chunks, each in a step of B, from the next one
 *                                                 on
 *   chunk        c = min(b·f, ⌊b·f·(E·T - s(B))/t⌋) for f new tokens of each prompt: the most with which no step takes
 *                longer than E·T, the limit on the tokens that it gives, and no more than matmuls of each reader gain by (readers.ts: prompts longer
 *                than that would hold up all tokens of others); that again where c is less than p·(M - B) + b for p positions of a sequence in a
 *                step, as servers take no fewer tokens per step than sequences have, and none keeps T. Where the first token is then late, or prompts keep the chips
 *                busy for too long, the least c with which that is not so: T limits τ, which is a mean. The tokens
 *                of a step are whole pages of each reader. A plan that limits them leaves c those beside p·B.
 *   gap          s(B) + t·c/(b·f), the longest between two tokens of a request: a step that reads a chunk
 *   wait         W, for P servers that each take b prompts every t' (arrivals λ/b, constant service)
 *   slots        V, for D·M slots that a sequence holds for G·τ (exponential service, as outputs vary)
 *   transfer     x, of the caches of all prompts that were read together, behind their prefill
 *
 *   first token = V + W + t' + x,    request = first token + (G - 1)·τ
 *
 * T is the limit on the time per token. Arrivals are Poisson, in one queue for all instances; b prompts are costed as
 * if they arrived together. A step with a chunk is assumed to last as long as the two one after the other; it is really
 * a little shorter, as the weights are read once. Not modelled: tails of lengths and waits (all are means), preemption.
 */
import { leastThat } from '../../threshold.ts'
import type { Seconds } from '../../units.ts'
import type { Deployment, Pair } from './pair.ts'
import { meanWait } from './queue.ts'
import { mostTokens, pagePositions, readersTogether } from './readers.ts'
import { mostUtilization, type Requests } from './requests.ts'
import { type KvTransfer, kvTransfer } from './transfer.ts'

export interface Operation {
  readonly rate: number
  readonly batch: number
  /** Tokens of one step of a server that does both: one for each sequence that generates, and those drafted for it, and a chunk of prompts. Null apart. */
  readonly stepTokens: number | null
  readonly stepSeconds: Seconds
  readonly tokenSeconds: Seconds
  /** The longest step, which reads a chunk of prompts beside its batch; null apart. */
  readonly gapSeconds: Seconds | null
  readonly prefillSeconds: Seconds
  readonly queueSeconds: Seconds
  readonly slotSeconds: Seconds
  readonly transfer: KvTransfer | null
  readonly firstSeconds: Seconds
  readonly requestSeconds: Seconds
  readonly prefillUtilization: number
  readonly generateUtilization: number
}

/** Null if the deployment cannot keep up. */
function operationAt(
  { pair, prefills, generates }: Deployment,
  requests: Requests,
  rate: number,
): Operation | null {
  const { prefill, generate, slots, disaggregated } = pair
  const { outputLength, stepPositions } = requests
  const own = rate / generates
  const each = disaggregated ? 0 : prefill.seconds / prefill.prompts
  const batch = leastThat(
    slots,
    (count) => own * (outputLength * generate.tokenSeconds(count) + count * each) <= count,
  )
  if (batch === null) return null
  const step = generate.stepSeconds(batch)
  const between = 1 - own * each
  const token = generate.tokenSeconds(batch) / between
  const read = promptTokens(pair, requests)
  const stepTokens = disaggregated ? null : (pair.stepTokens ?? mostStepTokens(pair, requests, batch, step))
  const chunk = stepTokens === null ? null : Math.min(read, stepTokens - batch * stepPositions)
  if (chunk !== null && chunk < 1) return null
  const service = prefill.seconds + (chunk === null ? 0 : (read / chunk) * step)
  const prefillSeconds = service + (disaggregated ? 0 : step / between / 2)
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
    gapSeconds: chunk === null ? null : step + (chunk / read) * prefill.seconds,
    prefillSeconds,
    queueSeconds,
    slotSeconds,
    transfer,
    firstSeconds,
    requestSeconds: firstSeconds + (outputLength - 1) * token,
    // Small chunks keep a prefill slot busy for longer, even where the chips have time left.
    prefillUtilization: Math.max(
      rate / (prefills * pair.prefillCapacity),
      (rate * service) / (prefills * prefill.prompts),
    ),
    generateUtilization: rate / (generates * pair.generateCapacity),
  }
}

/**
 * The most tokens of one step. If whole prompts, or the parts of longer ones that readers gain by, keep the step within the
 * limit on its tokens, that is these and all of every slot. Otherwise it is as many as keep the step within that limit; and the former
 * again where these are fewer than the sequences that the server may hold, as no server starts with fewer.
 */
function mostStepTokens(pair: Pair, requests: Requests, batch: number, step: Seconds): number {
  const whole = promptTokens(pair, requests)
  const { maxPerToken, stepYield, stepPositions } = requests
  const inTime = Math.floor((whole * (maxPerToken * stepYield - step)) / pair.prefill.seconds)
  const pages = pageTokens(pair)
  const usual = Math.min(whole, mostTokens * readersOf(pair))
  const within = Math.floor((batch * stepPositions + Math.max(0, inTime)) / pages) * pages
  // Where no step of a server keeps the limit, the fewest tokens would only make prompts wait.
  return inTime >= usual || within < fewestTokens(pair, requests) ? mostPaged(pair, requests, usual) : within
}

/** Tokens with which a step has so many of prompts beside all slots. */
function mostPaged(pair: Pair, { stepPositions }: Requests, tokens: number): number {
  return inPages(pair.slots * stepPositions + tokens, pageTokens(pair))
}

/** Those of each sequence that the server may hold. */
function fewestTokens(pair: Pair, { stepPositions }: Requests): number {
  return inPages(pair.slots * stepPositions + pair.prefill.prompts, pageTokens(pair))
}

/** Tokens that are a page of each reader. */
function pageTokens(pair: Pair): number {
  return readersOf(pair) * pagePositions(pair.generate.size.bench.setting.model)
}

function readersOf({ generate: { chosen, site } }: Pair): number {
  return readersTogether(chosen.layouts, site.mesh)
}

function inPages(tokens: number, pages: number): number {
  return Math.ceil(tokens / pages) * pages
}

/** Uncached tokens of the prompts that are read together. */
function promptTokens(
  { prefill }: Pick<Pair, 'prefill'>,
  { promptLength, cachedPrefixLength }: Requests,
): number {
  return prefill.prompts * (promptLength - cachedPrefixLength)
}

/** The operation at a rate, if it meets the objectives with room to spare; otherwise null. */
export function meets(deployment: Deployment, requests: Requests, rate: number): Operation | null {
  const { pair } = deployment
  const { slots, timely } = pair
  // A server that admits more sequences than are in time has to meet the objectives with only those, too.
  if (timely < slots && !meets({ ...deployment, pair: { ...pair, slots: timely } }, requests, rate))
    return null
  if (rate > capacity(deployment)) return null
  const usual = meetsAsIs(deployment, requests, rate)
  if (usual || pair.disaggregated || pair.stepTokens !== null) return usual
  const fewest = fewestTokens(pair, requests)
  const pages = pageTokens(pair)
  const more = (mostPaged(pair, requests, promptTokens(pair, requests)) - fewest) / pages + 1
  const withMore = (count: number): Operation | null => {
    const stepTokens = fewest + (count - 1) * pages
    return meetsAsIs({ ...deployment, pair: { ...pair, stepTokens } }, requests, rate)
  }
  // Larger chunks bring the first token earlier, and change nothing else.
  if (!withMore(more)) return null
  const least = leastThat(more, (count) => withMore(count) !== null)
  return withMore(least ?? more)
}

function meetsAsIs(deployment: Deployment, requests: Requests, rate: number): Operation | null {
  const operation = operationAt(deployment, requests, rate)
  if (!operation || operation.firstSeconds > requests.maxFirst * (1 + rounding)) return null
  if (operation.tokenSeconds > requests.maxPerToken * (1 + rounding)) return null
  const { transfer, prefillUtilization } = operation
  if (prefillUtilization > mostUtilization * (1 + rounding)) return null
  return transfer && transfer.utilization > mostUtilization ? null : operation
}

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9

/** The highest request rate that a deployment is planned for. */
export function capacity({ pair, prefills, generates }: Deployment): number {
  return mostUtilization * Math.min(prefills * pair.prefillCapacity, generates * pair.generateCapacity)
}

/** The highest rate at which the objectives are met, to within 1e-4 if the wait for the first token limits it. */
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

/** With six standard deviations more slots than sequences on average, nobody waits for one. */
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
