/**
 * The bubble of a pipeline of p stages, at least two: (p - 1)/v microbatches, with v <= (L + 2)/p virtual stages and no more than the rows of
 * schedules allow. A microbatch has at least one sequence per replica or, where tokens divide freely, a share of the batch: with r
 * replicas 1/m >= min(1, r/M), where M is above the microbatches of one replica. log2 of that, and of p - 1, are concave: the chords
 * below them stand for them.
 *
 * Of the p - 1 microbatches, weight gradients are taken off as often as a schedule may fill them in (`fillsOfBubble`). When a schedule
 * may be used that has no certain bubble, there is no such part.
 */
import type { CostModel } from '../../../cost/model.ts'
import type { ScheduleRow } from '../../../recipe/schedule-row.ts'
import { axisSet, unitMesh } from '../../../sharding/axis.ts'
import { microbatchChoices, mostVirtualChoice, triedScheduleRows } from '../../layouts/choices.ts'
import { sum, times } from '../../memory-policy/linear-terms.ts'
import { chordSlope, sizeOf, sizesOf } from './leaving.ts'
import type { Case } from './mesh-part.ts'
import { atLeast, milliseconds, type Part } from './part.ts'
import type { Power } from './power-program.ts'
import type { Unavoidable } from './unavoidable.ts'

export function bubblePart(
  { forward, backward, weightGradients }: Unavoidable,
  { sizes }: Case,
  { problem }: CostModel,
): Part | null {
  const { cluster, model } = problem
  const tried = triedScheduleRows(problem)
  const filled = tried.reduce((most, { fillsOfBubble }) => Math.max(most, fillsOfBubble ?? 0), 0)
  const flopTime = forward.flopTime + backward.flopTime - filled * weightGradients.flopTime
  const hbmTime = forward.hbmTime + backward.hbmTime - filled * weightGradients.hbmTime
  if (tried.some(({ fillsOfBubble }) => fillsOfBubble === null) || flopTime < 0 || hbmTime < 0) return null
  const wait = ((flopTime + hbmTime) / cluster.chips) * milliseconds
  const slope = chordSlope(sizes.pipeline.most, (stages) => stages - 1)
  const share = microbatchShare(problem)
  const stages = (further: number, name: string): Power => ({
    name,
    exponent: sum([share.exponent, { [sizeOf('pipeline')]: slope + further }]),
    offset: share.offset - slope,
  })
  const virtual = mostVirtualOfAny(tried, model.layers)
  const limits = [
    { power: stages(0, 'waiting stages'), weight: wait / virtual },
    { power: stages(1, 'waiting stages x pipeline'), weight: wait / (model.layers + 2) },
  ]
  return {
    variables: [{ name: 'bubble', cost: 1 }],
    rows: limits.map(({ power: { name }, weight }) =>
      atLeast('bubble', `bubble of ${name}`, { [name]: weight }, 0),
    ),
    powers: limits.map(({ power }) => power),
    priced: limits.map(({ power: { name } }) => ({
      row: `bubble of ${name}`,
      amount: ({ bubble = 0 }) => bubble,
      shares: { flops: flopTime / (flopTime + hbmTime), hbmBandwidth: hbmTime / (flopTime + hbmTime) },
    })),
  }
}

/** On any number of stages. */
function mostVirtualOfAny(rows: readonly ScheduleRow[], layers: number): number {
  let most = 1
  for (let stages = 2; most * stages < layers + 2; stages++) {
    most = Math.max(most, mostVirtualChoice(rows, stages, layers))
  }
  return most
}

/** A power that is at most 1/m. */
function microbatchShare(problem: CostModel['problem']): Omit<Power, 'name'> {
  const { workload, assumptions, cluster } = problem
  if (!assumptions.tokensDivideFreely) {
    const sequences = workload.batchTokens / workload.sequenceLength
    return { exponent: sizesOf(axisSet(['data', 'fsdp'])), offset: -Math.log2(sequences) }
  }
  // Numbers of microbatches are powers of two, so twice the largest that is tried is above any.
  const most =
    1 + Math.max(...microbatchChoices(unitMesh, problem).map(({ microbatches }) => Math.log2(microbatches)))
  const replicas = Math.log2(Math.min(cluster.chips, workload.batchTokens))
  const slope = replicas === 0 ? 0 : (Math.min(0, replicas - most) + most) / replicas
  return { exponent: times(sizesOf(axisSet(['data', 'fsdp', 'context'])), slope), offset: -most }
}
