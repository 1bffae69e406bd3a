/**
 * What a person wants to know about a plan: what it waits for, what overlaps, what fills the memory. Each sentence is a
 * claim that a test checks (test/laws/plan/said.test.ts).
 */
import { compact } from '../../compact.ts'
import { shortBytes } from '../../cost/memory/stage-memory.ts'
import type { Costing } from '../account/costing.ts'
import { type NetworkUse, networkText } from '../account/network-use.ts'
import { logitBytes } from '../no-plan/loss-chunks.ts'
import type { Plan } from '../plan.ts'
import { kernelSeconds } from './binding.ts'
import { bytesText, counted, percent, secondsText } from './figures.ts'
import { rematText } from './summary.ts'
import {
  communicationSentence,
  memorySentence,
  networkSentence,
  utilizationSentence,
} from './time-sentences.ts'

export type Described = Omit<Plan, 'explanation' | 'launch' | 'layout' | 'memoryPolicy' | 'stagePartition'>

export function explanation(plan: Described, costed: Costing, busiest: NetworkUse | null): readonly string[] {
  return compact(
    boundSentence(plan, busiest),
    communicationSentence(plan),
    networkSentence(plan),
    utilizationSentence(plan),
    pipelineSentence(plan),
    memorySentence(plan, fullest(plan)),
    logitsSentence(plan, costed),
    rematSentence(plan, costed),
    paddingSentence(plan, costed),
  )
}

function boundSentence(
  { bottleneck, timeSeconds, stepTimeSeconds }: Described,
  busiest: NetworkUse | null,
): string {
  const { compute, hbm, rematerialization, pipelineBubble, overhead, optimizer } = timeSeconds
  const of = `of the ${secondsText(stepTimeSeconds)} step`
  const kernels = kernelSeconds(timeSeconds)
  const again = rematerialization > 0 ? `, ${secondsText(rematerialization)} of recomputation` : ''
  if (bottleneck === 'communication' && busiest) {
    const { axis, name, seconds: busy, binds } = busiest
    const longer =
      binds > 0 ? `; windows in which it takes longer than the kernels last ${secondsText(binds)}` : ''
    const reason = axis ? `, more of it for the ${axis} axis than for any other` : ''
    return `Communication-bound: ${secondsText(timeSeconds.exposedCommunication)} ${of} wait for it; ${networkText(name)} is busy for ${secondsText(busy)} beside ${secondsText(kernels)} of kernels${reason}${longer}.`
  }
  if (bottleneck === 'pipelineBubble') {
    return `Bound by the pipeline bubble: stages wait ${secondsText(pipelineBubble)} ${of}.`
  }
  if (bottleneck === 'overhead') {
    return `Bound by overheads: ${secondsText(overhead)} ${of} go to starting kernels, to the host and to waiting for the last node.`
  }
  if (bottleneck === 'optimizer') {
    return `Bound by the optimizer: its update takes ${secondsText(optimizer)} ${of}.`
  }
  if (bottleneck === 'hbm') {
    return `HBM-bound: kernels wait for HBM ${secondsText(hbm)} ${of}, beside ${secondsText(compute)} of arithmetic${again}.`
  }
  return `Compute-bound: ${secondsText(kernels)} ${of} are kernels: ${secondsText(compute)} of arithmetic, ${secondsText(hbm)} of waiting for HBM${again}.`
}

function pipelineSentence({
  stageLayers,
  microbatches,
  pipelineSchedule,
  virtualStages,
  timeSeconds,
  stepTimeSeconds,
}: Described): string | null {
  if (stageLayers.length === 1) return null
  const pieces = virtualStages > 1 ? ` with ${virtualStages} virtual stages` : ''
  const bubble = percent(timeSeconds.pipelineBubble / stepTimeSeconds)
  return `${stagesText(stageLayers)}; ${counted(microbatches, 'microbatch')} under ${pipelineSchedule}${pieces} leave a bubble of ${bubble} of the step.`
}

/** For example `16 stages: 2 of 7 layers, 14 of 8`. */
function stagesText(stageLayers: readonly number[]): string {
  const sizes = [...new Set(stageLayers)].sort((a, b) => a - b)
  const [first = 0] = sizes
  const shown = (layers: number) => Number(layers.toFixed(2))
  if (sizes.length === 1) return `${stageLayers.length} stages of ${counted(shown(first), 'layer')} each`
  const parts = sizes.map((size) => {
    const stages = stageLayers.filter((layers) => layers === size).length
    return `${stages} of ${size === first ? counted(shown(size), 'layer') : shown(size)}`
  })
  return `${stageLayers.length} stages: ${parts.join(', ')}`
}

function fullest({ memoryBytes, stageLayers }: Described): string {
  return stageLayers.length > 1 ? ` on stage ${memoryBytes.stage}, the fullest` : ''
}

function logitsSentence({ memoryBytes }: Described, { candidate, model, memory }: Costing): string | null {
  const fullest = candidate.groups.find(({ index }) => index === memoryBytes.stage)
  const bytes = fullest ? logitBytes(memory, fullest, candidate.mix) : 0
  if (bytes < worthSaying * memoryBytes.total) return null
  const { lossChunks } = model.problem.assumptions
  return `${bytesText(bytes)} of it are logits: in more than ${lossChunks} ${lossChunks === 1 ? 'piece' : 'pieces'} they take less (assumptions.lossChunks).`
}

/** Least fraction of a chip's memory for which logits are mentioned. */
const worthSaying = 0.05

/** What is recomputed, and how much memory is lacking to keep it; nothing if the budget would suffice. */
function rematSentence(
  { rematerialization, timeSeconds, stepTimeSeconds }: Described,
  { candidate, memory, model }: Costing,
): string | null {
  const text = rematText(rematerialization)
  if (text === 'no remat') return null
  const { least } = memory
  const keepAll = { policy: least, other: least, count: 0 }
  const short = least < 0 ? 0 : shortBytes(memory, candidate.groups, keepAll, model.problem.memoryBudget)
  const why = short > 0 ? `; with everything kept a chip would be ${bytesText(short)} over the budget` : ''
  const share = percent(timeSeconds.rematerialization / stepTimeSeconds)
  return `Recomputed: ${text}, ${share} of the step${why}.`
}

/** Why a step has more sequences than asked for: every replica runs whole sequences, in microbatches of equal size. */
function paddingSentence(
  { globalBatchSequences, paddingFraction }: Described,
  { model }: Costing,
): string | null {
  const { batchTokens, sequenceLength } = model.problem.workload
  const asked = batchTokens / sequenceLength
  if (globalBatchSequences === asked) return null
  return `A step runs ${counted(globalBatchSequences, 'sequence')} for the ${Number(asked.toPrecision(6))} asked for: ${percent(paddingFraction)} of its tokens do not count in MFU, tokens per second and costs.`
}
