/** Every published training run with a time: compared at its own settings, or left out with the reason. */

import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { type Compared, eraOf, isCompared, type Outcome } from '../compared.ts'
import { fittedBy, publishedStacks } from '../stack-of.ts'
import {
  ownConstants,
  type PublishedLayout,
  predicted,
  predictedAsAsked,
  predictedUnder,
  publishedRows,
} from './run.ts'

interface TimedLayout extends PublishedLayout {
  readonly stepTimeSeconds?: number
  readonly outOfMemory?: true
}

const files = ['dense-training', 'long-training', 'expert-training', 'training-memory'] as const

export function trainingOutcomes(): readonly Outcome[] {
  return timedRuns().map((run) => run.outcome)
}

export function timedRuns(): readonly { readonly row: TimedLayout; readonly outcome: Outcome }[] {
  return files.flatMap((file) =>
    publishedRows<TimedLayout>(file)
      .filter(({ outOfMemory }) => !outOfMemory)
      .map((row) => ({ row, outcome: outcome(row, kindOf(file)) })),
  )
}

/** As a request is answered that names no software. */
export function trainingAsAsked(): readonly Compared[] {
  return files.flatMap((file) =>
    publishedRows<TimedLayout>(file)
      .filter(({ outOfMemory }) => !outOfMemory)
      .map((row) => outcome(row, kindOf(file), predictedAsAsked))
      .filter(isCompared),
  )
}

/** Those that a stack is of, as it costs them or by other constants; named by it, and by how experts were run. */
export function stackedRuns(
  constantsOf: (row: PublishedLayout) => Partial<Assumptions> = ownConstants,
): readonly Compared[] {
  const stacks = publishedStacks().filter(({ runs }) => runs === 'training')
  return files.flatMap((file) =>
    publishedRows<TimedLayout>(file).flatMap((row) => {
      const stack = stacks.find((own) => fittedBy(own, row))
      if (!stack) return []
      const found = outcome(row, kindOf(file), (timed) => predictedUnder(timed, constantsOf(timed)))
      const { expertRecipe: way } = row
      return isCompared(found) ? [{ ...found, stack: way ? `${stack.name}, ${way}` : stack.name }] : []
    }),
  )
}

function kindOf(file: (typeof files)[number]): 'dense' | 'experts' {
  return file === 'expert-training' ? 'experts' : 'dense'
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
    group: configurationOf(row),
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

/** Rows that share it are one configuration measured again: the same run in other ways is another. */
export function configurationOf({ id, group, expertRecipe, dispatchOverlap }: PublishedLayout): string {
  return [group ?? id, expertRecipe, dispatchOverlap && 'overlapped'].filter(Boolean).join(' ')
}
