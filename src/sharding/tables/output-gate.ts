/**
 * The output projection of attention, where the result of each head may be weighed by a gate first, made of the layer's input: another
 * D·N·H parameters (Qwen3-Next, Qwen3.5; Qiu et al., "Gated Attention for Large Language Models", arXiv 2505.06708).
 */
import type { Einsum } from '../component.ts'

interface Projected {
  readonly activations: Readonly<Record<string, string>>
  readonly weights: Readonly<Record<string, string>>
  readonly einsums: readonly Einsum[]
}

/** `result` is how the results of heads are sharded, `weight` how the weights are that make as many columns. */
export function outputProjection(gated: boolean, result: string, weight: string): Projected {
  if (!gated) {
    const einsums: readonly Einsum[] = [{ out: 'Out', left: 'Att', right: 'W_O', kind: 'matmul' }]
    return { activations: {}, weights: {}, einsums }
  }
  return {
    activations: { HeadGate: result, Weighed: result },
    weights: { W_HG: weight },
    einsums: [
      { out: 'HeadGate', left: 'In', right: 'W_HG', kind: 'matmul' },
      { out: 'Weighed', left: 'Att', right: 'HeadGate', kind: 'elementwise' },
      { out: 'Out', left: 'Weighed', right: 'W_O', kind: 'matmul' },
    ],
  }
}
