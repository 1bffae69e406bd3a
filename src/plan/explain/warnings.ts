/** Warnings about assumptions that matter for this answer. */
import { noStack } from '../../assumptions/stack.ts'
import { compact } from '../../compact.ts'
import { stateBytes } from '../../cost/memory/optimizer.ts'
import { ofKind, trainers } from '../../launch/framework.ts'
import { type Problem, wholeSequences } from '../../problem.ts'
import { optimizerRow } from '../../recipe/optimizer.ts'
import { weightKinds } from '../../recipe/optimizer-row.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import { offCentre } from '../certainty/off-centre.ts'
import { unmeasuredText } from '../certainty/unmeasured.ts'
import type { Plan } from '../plan.ts'
import { counted, percent } from './figures.ts'
import { kindWarning, launchWarning, type Named } from './launch-warning.ts'

export function warnings(
  problem: Problem,
  best: Plan | null,
  named: Named = 'the best plan',
): readonly string[] {
  const { workload, assumptions, model, cluster } = problem
  const { batchTokens, sequenceLength } = workload
  const { tokensDivideFreely, attentionFlops, basis, frameworks } = assumptions
  const ideals = idealsOf(problem)
  const layout = best?.contextLayout ?? null
  const over = attentionFlops === 'causal' && layout && contextLayoutRow(layout).balancedOver
  return compact(
    batchTokens % sequenceLength !== 0 &&
      !tokensDivideFreely &&
      `batchTokens ${batchTokens} is not a multiple of the sequence length ${sequenceLength}: the batch is costed as at least ${counted(wholeSequences(workload), 'sequence')}, but MFU counts only the tokens of the request`,
    tokensDivideFreely &&
      'tokens and layers are treated as real numbers, and fsdp may split a sequence: round them before you launch',
    attentionFlops === 'none' && 'attention dot products take no time and do not count in MFU',
    ideals.length > 0 && `${basis} assumptions: ${ideals.join(', ')}`,
    best &&
      best.paddingFraction > 0.02 &&
      `${named} pads the batch: ${percent(best.paddingFraction)} of its tokens are padding`,
    best &&
      best.mesh.tensor * best.mesh.tensor2 > model.kvHeads &&
      `tensor x tensor2 exceeds the ${model.kvHeads} key-value heads of the model: they are replicated`,
    offCentre('a step', best?.uncertainty ?? null),
    best && unmeasuredText(problem),
    kindWarning(frameworks, trainers, 'trains a model'),
    !problem.runElsewhere && launchWarning(best, ofKind(trainers, frameworks), named),
    best &&
      best.mesh.expert > 1 &&
      'routing is assumed to be balanced: every expert gets the same number of tokens (as auxiliary losses or biases aim for)',
    model.attention.compressed &&
      'pooling, the choice of pooled positions and the loss of their index take no time here: the published runs of such a model (DeepSeek-V4-Flash) took half as long again as is predicted',
    optimizerRow(workload.optimizer).caution,
    over && `context parallelism is assumed to balance causal attention over ${over} (zig-zag)`,
    basis === 'calibrated' && cluster.chip.kind === 'tpu' && tpuText(assumptions.stack),
  )
}

/** Where a stack has constants of these chips, runs with the efficiencies as they are set them. */
function tpuText(stack: string): string {
  return stack === noStack
    ? 'TPU efficiencies are starting values, not yet fitted to measurements'
    : `TPU efficiencies are starting values; beside them, published runs set the constants of the stack ${stack}`
}

/** Idealisations in the assumptions that no real machine reaches. */
function idealsOf({ assumptions, precision, workload }: Problem): readonly string[] {
  const { overlapPrefetched, overlapCriticalPath, matmulEfficiency, matmulHalfFlops } = assumptions
  const { attentionEfficiency, hbmEfficiency, sustainedShare, masterWeights, gradientBuffer } = assumptions
  const efficiencies = [matmulEfficiency, attentionEfficiency, hbmEfficiency, sustainedShare]
  const states = weightKinds.map((kind) => stateBytes(workload.optimizer, precision, assumptions, kind))
  const bytes = new Set(states.map(({ weights, optimizer }) => weights + optimizer))
  const alike = bytes.size === 1 && optimizerRow(workload.optimizer).factored.length === 0
  return compact(
    Math.min(overlapPrefetched, overlapCriticalPath) === 1 && 'all communication can be hidden under compute',
    matmulHalfFlops === 0 && Math.min(...efficiencies) === 1 && 'kernels reach peak',
    !masterWeights &&
      !gradientBuffer &&
      alike &&
      `weights and optimizer are ${[...bytes].join()} bytes per parameter, gradients none`,
  )
}
