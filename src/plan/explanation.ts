/** What a person would want to hear about a plan: what it waits for, what it hides, what fills the memory. */
import type { CostModel } from '../cost/model.ts'
import type { Candidate } from '../search/candidate.ts'
import type { Binding } from './binding.ts'
import type { Costing } from './costing.ts'
import { bytesText, counted, percent, secondsText } from './figures.ts'
import { logitBytes } from './loss-chunks.ts'
import type { MemoryAccount, TimeAccount } from './plan.ts'
import { type PolicyLayers, rematText } from './summary.ts'

export interface Described {
  readonly candidate: Candidate
  readonly model: CostModel
  readonly time: TimeAccount
  readonly memory: MemoryAccount
  readonly bound: Binding
  readonly costed: Costing
  readonly rematerialization: readonly PolicyLayers[]
}

export function explanation(plan: Described): readonly string[] {
  return [
    boundSentence(plan),
    timeSentence(plan),
    ...pipelineSentence(plan),
    memorySentence(plan),
    ...logitsSentence(plan),
    ...rematSentence(plan),
  ]
}

function boundSentence({ bound, time, costed }: Described): string {
  const computing = time.compute + time.hbm + time.rematerialization
  if (bound.bottleneck === 'communication' && bound.detail) {
    const { axis, network } = bound.detail
    const slower = bound.communicationHeadroom ? 1 / bound.communicationHeadroom : 1
    return `Communication-bound: the ${network} network is busy ${slower.toFixed(2)} times as long as the chips compute, most of it for the ${axis} axis.`
  }
  if (bound.bottleneck === 'pipelineBubble') {
    return `Bound by the pipeline bubble: stages wait ${secondsText(time.pipelineBubble)} of ${secondsText(costed.stepTime)}.`
  }
  const spare = bound.communicationHeadroom
  const network = spare
    ? `; the busiest network could be ${spare.toFixed(1)} times slower before it bound`
    : ''
  const what = bound.bottleneck === 'hbm' ? 'HBM-bound' : 'Compute-bound'
  return `${what}: ${secondsText(computing)} of the ${secondsText(costed.stepTime)} step${network}.`
}

function timeSentence({ time, costed }: Described): string {
  const all = Object.values(time.communication).reduce((sum, seconds) => sum + seconds, 0)
  const hidden = all > 0 ? Math.max(0, 1 - time.exposedCommunication / all) : 1
  return `Of ${secondsText(all)} of communication ${percent(hidden)} hides behind compute; ${secondsText(time.exposedCommunication)} (${percent(time.exposedCommunication / costed.stepTime)} of the step) is exposed.`
}

function pipelineSentence({ candidate, time, costed }: Described): readonly string[] {
  const { stageLayers, microbatches, schedule, groups } = candidate
  if (stageLayers.length === 1) return []
  const [most, least] = [Math.max(...stageLayers), Math.min(...stageLayers)]
  const unlike = groups.some(({ composition }) => composition !== null)
  const fewest = unlike
    ? 'fewest where layers are the longest or the loss is'
    : 'fewest where the embedding or the loss is'
  const layers =
    most === least ? `${counted(most, 'layer')} each` : `${least} to ${most} layers each, ${fewest}`
  return [
    `${stageLayers.length} stages of ${layers}; ${counted(microbatches, 'microbatch')} under ${schedule.name}${schedule.virtualStages > 1 ? ` with ${schedule.virtualStages} virtual stages` : ''} leave a bubble of ${percent(time.pipelineBubble / costed.stepTime)}.`,
  ]
}

function memorySentence({ memory, candidate }: Described): string {
  const parts = (
    [
      ['weights', memory.parameters],
      ['gradients', memory.gradients],
      ['optimizer', memory.optimizer],
      ['activations', memory.activations],
      ['workspace', memory.workspace],
      ['reserve', memory.reserve],
    ] as const
  )
    .filter(([, bytes]) => bytes > 0)
    .map(([name, bytes]) => `${name} ${bytesText(bytes)}`)
  const where = candidate.stageLayers.length > 1 ? ` on stage ${memory.stage}, the fullest` : ''
  return `Memory per chip${where}: ${bytesText(memory.total)} of ${bytesText(memory.budget)} (${parts.join(', ')}).`
}

function logitsSentence({ memory, candidate, costed }: Described): readonly string[] {
  const fullest = candidate.groups.find(({ index }) => index === memory.stage)
  const bytes = fullest ? logitBytes(costed.memory, fullest) : 0
  if (bytes < worthSaying * memory.total) return []
  const { lossChunks } = costed.model.problem.assumptions
  return [
    `${bytesText(bytes)} of it are logits: in more than ${lossChunks} ${lossChunks === 1 ? 'piece' : 'pieces'} they take less (assumptions.lossChunks).`,
  ]
}

/** Of a chip's memory. */
const worthSaying = 0.05

function rematSentence({ rematerialization, time, costed }: Described): readonly string[] {
  const text = rematText(rematerialization)
  if (text === 'no remat') return []
  return [`To fit: ${text}, ${percent(time.rematerialization / costed.stepTime)} of the step.`]
}
