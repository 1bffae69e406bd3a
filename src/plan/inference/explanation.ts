/**
 * What a person wants to know about an inference plan: what it waits for, what it reads, what fills the memory. Each
 * sentence is a claim that a test checks (test/laws/plan/said.test.ts).
 */
import { compact } from '../../compact.ts'
import type { PhaseRow } from '../../modes/phase-row.ts'
import { counted, percent, secondsText } from '../explain/figures.ts'
import {
  communicationSentence,
  memorySentence,
  networkSentence,
  utilizationSentence,
} from '../explain/time-sentences.ts'
import type { InferencePlan } from '../inference-plan.ts'

/** The row of any phase. */
type Row = Pick<PhaseRow<never>, 'inPipeline'>

type Described = Omit<InferencePlan, 'explanation' | 'launch'>

export function inferenceExplanation(plan: Described, { inPipeline }: Row): readonly string[] {
  return compact(
    boundSentence(plan),
    batchSentence(plan),
    communicationSentence(plan, between(plan)),
    networkSentence(plan),
    utilizationSentence(plan),
    halvesSentence(plan),
    pipelineSentence(plan, inPipeline),
    copiesSentence(plan),
    speculationSentence(plan),
    memorySentence(plan),
  )
}

function boundSentence({
  bottleneck,
  bottleneckDetail,
  timeSeconds,
  streaming,
  stepTimeSeconds,
}: Described): string {
  const of = `of ${secondsText(stepTimeSeconds)}`
  if (bottleneck === 'communication') {
    const network = bottleneckDetail ? `, most of all for the ${bottleneckDetail.network} network` : ''
    return `Bound by communication: ${secondsText(timeSeconds.exposedCommunication)} ${of} wait for it${network}.`
  }
  if (bottleneck === 'overhead') {
    return `Bound by overheads: ${secondsText(timeSeconds.overhead)} ${of} go to starting kernels and to the host's work on each sequence.`
  }
  if (bottleneck === 'pipelineBubble') {
    return `Bound by the pipeline: stages wait for each other ${secondsText(timeSeconds.pipelineBubble)} ${of}.`
  }
  const { weightsSeconds, kvCacheSeconds, activationsSeconds, arithmeticSeconds } = streaming
  if (bottleneck === 'compute') {
    return `Compute-bound: ${secondsText(timeSeconds.compute)} ${of} is arithmetic; streaming weights alone takes ${secondsText(weightsSeconds)}.`
  }
  const streams = [
    ['weights', weightsSeconds],
    ['the key-value cache', kvCacheSeconds],
    ['activations', activationsSeconds],
  ] as const
  const [first] = streams.reduce((a, b) => (b[1] > a[1] ? b : a))
  return `HBM-bound, most of all by ${first}: of ${secondsText(stepTimeSeconds)}, weights stream for ${secondsText(weightsSeconds)}, caches for ${secondsText(kvCacheSeconds)}, activations for ${secondsText(activationsSeconds)}; the arithmetic alone takes ${secondsText(arithmeticSeconds)}.`
}

function batchSentence(plan: Described): string | null {
  const { batchSequences, maxBatchSequences, criticalBatchTokens, layout } = plan
  if (maxBatchSequences === undefined || criticalBatchTokens === undefined) return null
  const side = batchSequences < criticalBatchTokens ? 'below' : 'at or above'
  const whose = layout.components.experts === undefined ? 'weights' : 'weights of experts'
  return `${counted(batchSequences, 'sequence')} ${batchSequences === 1 ? 'is' : 'are'} ${side} the critical batch of ${Math.ceil(criticalBatchTokens)}, from which ${whose} take longer to multiply than to read; memory holds at most ${maxBatchSequences} under these layouts.`
}

/** The part of the waiting that resharding between components causes. */
function between({ reshardingSeconds }: Described): string {
  if (reshardingSeconds === 0) return ''
  return `, ${secondsText(reshardingSeconds)} of it between components that are laid out differently`
}

function pipelineSentence(plan: Described, inPipeline: Row['inPipeline']): string | null {
  const { mesh, stageLayers } = plan
  if (mesh.pipeline === 1) return null
  return inPipeline(`${mesh.pipeline} stages of at most ${counted(Math.max(...stageLayers), 'layer')}`, plan)
}

function halvesSentence({ twoBatchOverlap, collectives }: Described): string | null {
  if (!twoBatchOverlap) return null
  const routed = collectives.filter(({ op, exposed }) => op === 'AllToAll' && !exposed)
  const all = routed.reduce((sum, { seconds }) => sum + seconds, 0)
  return `Two halves of the batch take turns: one computes beside ${secondsText(all)} of dispatch and combine of the other, and each reads the weights for itself.`
}

function copiesSentence({ redundantExperts, mesh }: Described): string | null {
  if (redundantExperts === 0) return null
  const chips = mesh.expert > 1 ? mesh.expert : mesh.tensor * mesh.tensor2
  return `${redundantExperts} slots for experts on every ${chips} chips hold copies of those that most tokens visit.`
}

function speculationSentence({ speculation }: Described): string | null {
  if (!speculation) return null
  const { draftTokens, draftSeconds, expectedTokensPerStep, speedup, secondsPerToken } = speculation
  if (speedup < 1) {
    return `Speculation with ${draftTokens} drafted tokens hurts: ${secondsText(secondsPerToken)} per token, ${percent(1 / speedup - 1)} more than without.`
  }
  if (draftTokens === 0) return 'Speculation does not pay here: no draft is the best draft length.'
  return `Speculation: ${draftTokens} drafted tokens give ${expectedTokensPerStep.toFixed(2)} per step for ${secondsText(draftSeconds)} each, ${secondsText(secondsPerToken)} per token, ${speedup.toFixed(2)} times as fast as without.`
}
