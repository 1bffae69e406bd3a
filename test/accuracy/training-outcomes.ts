/** Every published training run with a time: compared at the settings that it ran with, or left out and why. */

import type { StackConstants, StackRecord } from '../../src/assumptions/stack.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { type Compared, eraOf, isCompared, type Outcome } from './compared.ts'
import { type PublishedLayout, predicted, predictedUnder, publishedRows } from './run.ts'
import { fittedBy, publishedStacks } from './stack-of.ts'

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

/** Those that a stack is of, as `assumptions.stack` costs them, or with other constants; named by it. */
export function stackedRuns(
  constantsOf: (stack: StackRecord) => StackConstants = ({ constants }) => constants,
): readonly Compared[] {
  const stacks = publishedStacks()
  return files.flatMap((file) =>
    publishedRows<TimedLayout>(file).flatMap((row) => {
      const stack = stacks.find((own) => fittedBy(own, row))
      if (!stack) return []
      const plan = (timed: TimedLayout) => predictedUnder(timed, constantsOf(stack))
      const found = outcome(row, file === 'expert-training' ? 'experts' : 'dense', plan)
      return isCompared(found) ? [{ ...found, stack: stack.name }] : []
    }),
  )
}

function outcome(
  row: TimedLayout,
  kind: 'dense' | 'experts',
  planOf: (row: TimedLayout) => Plan | null = predicted,
): Outcome {
  const { id, split, stack, release, chip, stepTimeSeconds: measured } = row
  const leftOut = (reason: string): Outcome => ({ id, phase: 'training', reason })
  if (row.leftOut !== undefined) return leftOut(row.leftOut)
  if (measured === undefined)
    return leftOut("AdamW ran on the host's processors, and the rate is theirs; memory is compared")
  const plan = planOf(row)
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
