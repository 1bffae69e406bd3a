/** What a person wants to know about a deployment: what sets its size, how long requests wait, how full it is. */
import { compact } from '../../compact.ts'
import { chipsOf } from '../../modes/serve/pair.ts'
import { mostUtilization, type Requests } from '../../modes/serve/requests.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import { bytesText, counted, percent, secondsText, threeFigures } from '../explain/figures.ts'
import type { ServePlan } from '../inference-plan.ts'
import { missSentence } from './missed-prefix.ts'

type Described = Omit<ServePlan, 'explanation' | 'launch'>

export function serveExplanation(
  plan: Described,
  deployment: Sized,
  requests: Requests,
  rival: Sized | null | undefined,
): readonly string[] {
  return compact(
    sizeSentence(plan, deployment, requests),
    rivalSentence(plan, deployment, requests, rival),
    balanceSentence(deployment, requests),
    firstTokenSentence(plan, deployment, requests),
    missSentence(deployment.pair.prefill, requests),
    tokenSentence(deployment, requests),
    draftsSentence(plan),
    batchSentence(plan, deployment, requests),
    transferSentence(deployment),
    secondLayoutSentence(plan),
  )
}

/** What prevents one instance fewer, or a higher rate. */
function sizeSentence(plan: Described, { operation, pair }: Sized, { rate, maxFirst }: Requests): string {
  const { prefillUtilization, generateUtilization } = operation
  const busiest = Math.max(prefillUtilization, generateUtilization)
  const phase = prefillUtilization >= generateUtilization ? 'prefill' : 'generation'
  const which = pair.disaggregated ? `${phase} instances are` : 'instances are'
  const busy = `${which} ${percent(busiest)} busy, and none is planned over ${percent(mostUtilization)}`
  if (rate === null) {
    return `Sustains ${threeFigures(plan.requestsPerSecond)} requests a second: ${limit(operation, busy, maxFirst)}.`
  }
  if (operation.rate < rate) {
    return `Sustains ${threeFigures(operation.rate)} of the ${threeFigures(rate)} requests a second that are asked for: ${busy}.`
  }
  if (plan.requestsPerSecond < rate * (1 - rounding)) {
    return `Is planned for ${threeFigures(plan.requestsPerSecond)} of the ${threeFigures(rate)} requests a second that are asked for: at ${threeFigures(rate)} the objectives are met on average, with no room for bursts.`
  }
  return `Takes ${threeFigures(rate)} requests a second, and would take ${threeFigures(plan.requestsPerSecond)}: ${busy}.`
}

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9

/** What limits the rate. */
function limit({ transfer, ...operation }: Sized['operation'], busy: string, maxFirst: number): string {
  const full = 0.999 * mostUtilization
  if (Math.max(operation.prefillUtilization, operation.generateUtilization) > full) return busy
  if (transfer && transfer.utilization > full) {
    return `the links that caches go over are ${percent(transfer.utilization)} busy, and none are planned over ${percent(mostUtilization)}`
  }
  return Number.isFinite(maxFirst)
    ? `at a higher rate the first token would come later than ${secondsText(maxFirst)}`
    : busy
}

function rivalSentence(
  { disaggregated }: Described,
  { operation, chips }: Sized,
  requests: Requests,
  rival: Sized | null | undefined,
): string | null {
  const { rate } = requests
  if (rival === undefined) return null
  const own = disaggregated ? 'Prefill and generation are apart' : 'Both phases share their chips'
  const other = disaggregated ? 'with both phases on the same chips' : 'with the phases apart'
  if (!rival) return `${own}: ${unrivalled(requests, disaggregated, other)}.`
  if (rate === null) {
    const [mine, theirs] = [operation, rival.operation].map(({ rate: own }) => threeFigures(own))
    return `${own}: ${mine} requests a second, ${other} at most ${theirs}.`
  }
  if (rival.chips > chips) return `${own}: ${other} it takes ${counted(rival.chips, 'chip')}.`
  const [mine, theirs] = [operation.requestSeconds, rival.operation.requestSeconds].map(secondsText)
  return `${own}: ${other} it takes as many chips, and a request ${theirs} instead of ${mine}.`
}

/** Why there is none the other way. */
function unrivalled(requests: Requests, disaggregated: boolean, other: string): string {
  const { pool } = requests
  if (!disaggregated && pool < 2) return 'separate phases need two chips, one for each'
  return hasObjectives(requests)
    ? `${other} no deployment meets the objectives with room for bursts`
    : `${other} no deployment fits on ${counted(pool, 'chip')}`
}

function hasObjectives({ rate, maxFirst, maxPerToken }: Requests): boolean {
  return rate !== null || Number.isFinite(Math.min(maxFirst, maxPerToken))
}

function balanceSentence(deployment: Sized, requests: Requests): string {
  const { outputLength } = requests
  const { pair, prefills, generates } = deployment
  const { prefill, generate, slots } = pair
  const prompts = prefill.prompts === 1 ? 'a prompt' : `${prefill.prompts} prompts`
  const step = stepText(generate.stepSeconds(slots), requests)
  if (!pair.disaggregated) {
    const share = (deployment.operation.rate * prefill.seconds) / prefill.prompts / generates
    return `Both phases share ${counted(chipsOf(deployment), 'chip')}: prefill (${secondsText(prefill.seconds)} for ${prompts}) takes ${percent(share)} of the time, and steps of generation run in the rest.`
  }
  const balance = pair.generateCapacity / pair.prefillCapacity
  return `Prefill takes ${secondsText(prefill.seconds)} for ${prompts}, a step of ${slots} sequences ${step}: with ${outputLength} tokens a request that is ${balance.toFixed(2)} prefill instances to a generate instance; there are ${prefills} to ${generates}.`
}

function firstTokenSentence(plan: Described, { operation }: Sized, { maxFirst }: Requests): string {
  const { queueSeconds, slotSeconds, prefillSeconds, firstSeconds } = operation
  const parts = compact(
    `${secondsText(prefillSeconds)} of prefill${plan.disaggregated ? '' : ' between steps'}`,
    `${secondsText(queueSeconds)} of waiting for an instance`,
    slotSeconds > 0 && `${secondsText(slotSeconds)} for a place in a batch`,
    operation.transfer && `${secondsText(operation.transfer.exposedSeconds)} of transfer`,
  )
  return `First token after ${secondsText(firstSeconds)}: ${parts.join(', ')}; ${against(firstSeconds, maxFirst)}.`
}

function tokenSentence({ operation, pair, generates }: Sized, requests: Requests): string {
  const { tokenSeconds, gapSeconds, stepSeconds, rate } = operation
  const objective = against(tokenSeconds, requests.maxPerToken)
  if (gapSeconds === null) return `A token every ${secondsText(tokenSeconds)}; ${objective}.`
  const share = ((rate / generates) * pair.prefill.seconds) / pair.prefill.prompts
  return `A token every ${secondsText(tokenSeconds)}: a step of ${stepText(stepSeconds, requests)}, and prefills for ${percent(share)} of the time; ${objective}. The longest step, with a chunk of prompts, takes ${secondsText(gapSeconds)}.`
}

function stepText(seconds: number, { stepYield }: Requests): string {
  return stepYield === 1 ? secondsText(seconds) : `${secondsText(seconds)} for ${stepYield.toFixed(2)} tokens`
}

/** What drafts make of a token, beside a step of the same batch without any. */
function draftsSentence({ generate }: Described): string | null {
  const { speculation } = generate
  if (!speculation) return null
  const { draftTokens, draftSeconds, expectedTokensPerStep, stepSeconds, speedup } = speculation
  const each = draftTokens === 1 ? 'takes' : 'take'
  const step = `A step of ${secondsText(stepSeconds)} scores ${counted(draftTokens, 'drafted token')} of each sequence, which ${each} ${secondsText(draftTokens * draftSeconds)} to draft, and gives it ${expectedTokensPerStep.toFixed(2)} tokens`
  const batch = counted(generate.batchSequences, 'sequence')
  return speedup < 1
    ? `${step}: drafts hurt here, as ${batch} without them would have a token ${percent(1 / speedup - 1)} sooner.`
    : `${step}: ${speedup.toFixed(2)} times as many as ${batch} without drafts would have in that time.`
}

function batchSentence(plan: Described, { operation, pair }: Sized, requests: Requests): string {
  const { rate, maxPerToken } = requests
  const { batch } = operation
  const { slots, generate } = pair
  const free =
    !hasObjectives(requests) ||
    generate.tokenSeconds(slots) > maxPerToken ||
    plan.requestsPerSecond < (rate ?? 0) * (1 - rounding)
  const allows = free ? 'memory allows' : 'memory and the objectives allow'
  return `${batch} sequences are resident in a generate instance on average, ${percent(batch / slots)} of the ${slots} that ${allows}.`
}

function transferSentence({ operation }: Sized): string | null {
  const { transfer } = operation
  if (!transfer) return null
  const { bytes, seconds, exposedSeconds, utilization } = transfer
  return `${bytesText(bytes)} of keys and values go to generation with each request, ${secondsText(seconds)} on the network; as servers send them behind a prefill, ${secondsText(exposedSeconds)} is waited for. The links are ${percent(utilization)} busy with it.`
}

function secondLayoutSentence({ secondLayout }: Described): string | null {
  if (!secondLayout) return null
  const { copyBytesPerChip, reshardSeconds } = secondLayout
  return `The phases store weights differently: a second set of those takes ${bytesText(copyBytesPerChip)} of each chip, charged here; moving them instead would take ${secondsText(reshardSeconds)} each way.`
}

function against(seconds: number, limit: number): string {
  if (!Number.isFinite(limit)) return 'no objective is set'
  if (seconds > limit) return `${percent(seconds / limit - 1)} over the objective of ${secondsText(limit)}`
  return `the objective of ${secondsText(limit)} leaves ${percent(1 - seconds / limit)}`
}
