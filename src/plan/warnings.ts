/** Assumptions that matter for the answer at hand. */
import type { Framework } from '../framework.ts'
import type { Problem } from '../problem.ts'
import { counted, percent } from './figures.ts'
import type { Plan } from './plan.ts'

export function warnings(
  { workload, assumptions, model, cluster }: Problem,
  best: Plan | null,
  named = 'the best plan',
): readonly string[] {
  const { batchTokens, sequenceLength } = workload
  const whole = batchTokens % sequenceLength === 0
  const found: string[] = []
  if (!whole && !assumptions.tokensDivideFreely) {
    found.push(
      `batchTokens ${batchTokens} is not a multiple of the sequence length ${sequenceLength}: the batch is costed as ${counted(Math.ceil(batchTokens / sequenceLength), 'sequence')}, and MFU counts the tokens asked for`,
    )
  }
  if (assumptions.tokensDivideFreely) {
    found.push(
      'tokens and layers are taken as real numbers, and fsdp may split a sequence: round before you launch',
    )
  }
  if (assumptions.attentionFlops === 'none') {
    found.push('attention dot products are neither charged nor counted in MFU')
  }
  if (assumptions.basis === 'book') {
    found.push(
      'book assumptions: all communication overlaps with compute, kernels reach peak, memory is 10 bytes per parameter and checkpoints',
    )
  }
  if (best && best.paddingFraction > 0.02) {
    found.push(`${named} pads the batch: ${percent(best.paddingFraction)} of its tokens are padding`)
  }
  if (best && best.mesh.tensor * best.mesh.tensor2 > model.kvHeads) {
    found.push(
      `tensor x tensor2 exceeds the ${model.kvHeads} key-value heads of the model: they are replicated`,
    )
  }
  if (best && assumptions.frameworks.length > 0 && !launchedBy(best, assumptions.frameworks)) {
    found.push(
      `none of ${assumptions.frameworks.join(', ')} can launch ${named === 'the plan' ? 'the plan, whatever is chosen of what it leaves open' : 'a plan for this request: plans are listed all the same'}; launch says why`,
    )
  }
  if (best && best.mesh.expert > 1) {
    found.push(
      'routing is taken to be even: every expert gets as many tokens as any other (auxiliary losses or biases see to it)',
    )
  }
  if (workload.optimizer === 'muon') {
    found.push(
      'Muon: matrices are taken to be dealt out whole over the chips that shard its states; gathering them is not charged',
    )
  }
  if (best && best.mesh.context > 1) {
    found.push('context parallelism assumes causal work balanced over the ring (zig-zag)')
  }
  if (assumptions.basis === 'calibrated' && cluster.chip.kind === 'tpu') {
    found.push('TPU efficiencies are stated starting values, not yet fitted to measurements')
  }
  return found
}

function launchedBy({ launch }: Plan, frameworks: readonly Framework[]): boolean {
  return frameworks.some((name) => {
    const flags = launch[name]
    return flags !== undefined && !(typeof flags === 'object' && flags !== null && 'unsupported' in flags)
  })
}
