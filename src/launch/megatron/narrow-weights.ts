/**
 * Weights that Megatron-LM keeps in fp8 or fp4, as their matmuls read them, in place of bf16: `--fp8-param-gather` and `--fp4-param-gather`. Both need the
 * distributed optimizer, and leave no bf16 weights whose master copies could be remainders; with states on the host fp8 has to be scaled by
 * recent maxima. MXFP8 borrows gradients' buffers to gather bf16 weights and casts them there (Megatron-FSDP has its own way). Without either,
 * Transformer Engine keeps its casts beside the weights (src/recipe/weight-copies.ts).
 *
 * Source: megatron/training/arguments.py, megatron/core/optimizer/optimizer_config.py (d98e8a64dd).
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { scalesBlocks } from '../../hardware/peak.ts'
import type { Problem } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import { weightCopiesRow } from '../../recipe/weight-copies.ts'
import type { Run } from '../run/run.ts'
import { isFourBits } from './narrow-types.ts'

type Question = Pick<Problem, 'precision' | 'assumptions' | 'cluster'>

/** Whether weights are kept so: the plan counts no others, and Megatron-LM can. */
export function keepsNarrow(run: Run): boolean {
  return countsNarrow(run) && isOffered(run.problem)
}

/** Whether the plan counts no other weights. */
export function countsNarrow({ zeroStage, problem: { precision, assumptions } }: Run): boolean {
  const { own } = weightCopiesRow(assumptions.weightCopies)
  return zeroStage > 0 && !own.sharded && elementBytes[precision.compute] < elementBytes[precision.weights]
}

/** Where it keeps casts beside the weights, both are counted. */
export function narrowWeightsAssumed(question: Question): Partial<Assumptions> {
  const { compute, weights } = question.precision
  const isNarrower = elementBytes[compute] < elementBytes[weights]
  return isNarrower && !isOffered(question) ? { weightCopies: 'beside' } : {}
}

function isOffered({ precision, assumptions, cluster }: Question): boolean {
  const blocks = isFourBits(precision.compute) || scalesBlocks(cluster.chip)
  return !assumptions.masterRemainders && !(assumptions.optimizerOnHost && blocks)
}

export function narrowWeightNotes(run: Run): readonly string[] {
  return countsNarrow(run) && !isOffered(run.problem)
    ? [
        'Megatron-LM: with these states of the optimizer it keeps casts of the weights beside them, where the plan counts the casts alone; assumptions.weightCopies beside counts both.',
      ]
    : []
}
