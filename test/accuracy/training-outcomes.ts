/** Every published training run with a time: compared at the settings that it ran with, or left out and why. */
import { unitMesh } from '../../src/sharding/axis.ts'
import { eraOf, type Outcome } from './compared.ts'
import { type PublishedLayout, predicted, publishedRows } from './run.ts'

interface TimedLayout extends PublishedLayout {
  readonly stepTimeSeconds?: number
  readonly outOfMemory?: true
}

const files = ['dense-training', 'long-training', 'expert-training', 'training-memory'] as const

export function trainingOutcomes(): readonly Outcome[] {
  return files.flatMap((file) =>
    publishedRows<TimedLayout>(file)
      .filter(({ outOfMemory }) => !outOfMemory)
      .map((row) => outcome(row, file === 'expert-training' ? 'experts' : 'dense')),
  )
}

function outcome(row: TimedLayout, kind: 'dense' | 'experts'): Outcome {
  const { id, split, stack, release, chip, stepTimeSeconds: measured } = row
  const leftOut = (reason: string): Outcome => ({ id, phase: 'training', reason })
  if (row.leftOut !== undefined) return leftOut(row.leftOut)
  if (measured === undefined)
    return leftOut("AdamW ran on the host's processors, and the rate is theirs; memory is compared")
  const plan = predicted(row)
  if (!plan) return leftOut('more parts of stages than layers: embedding and head counted as layers there')
  const { mesh, zeroStage, microbatchTokens, pipelineSchedule, virtualStages, rematerialization } = row
  return {
    ...{ id, phase: 'training', kind, era: eraOf(row.year), stack, release, chip, split },
    group: row.group ?? id,
    question: JSON.stringify([
      ...[row.model, chip, row.chips, row.batchSequences, row.sequenceLength],
      ...[row.numerics ?? row.compute ?? 'bf16', stack, release],
    ]),
    layout: JSON.stringify([
      ...[
        { ...unitMesh, ...mesh },
        zeroStage,
        microbatchTokens,
        pipelineSchedule,
        virtualStages,
        rematerialization,
      ],
    ]),
    predicted: plan.stepTimeSeconds,
    measured,
    within: plan.lowerBoundSeconds <= measured && measured <= plan.upperBoundSeconds,
  }
}
