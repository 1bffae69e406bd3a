/**
 * Efficiencies of attention in published runs that used older kernels than those that the chips' efficiencies are for.
 *
 *   triton    FlashAttention of 2022 in Triton, which llm-foundry ran by default until March 2024. Fitted with the
 *             other constants to its bf16 rows marked for fitting: 0.31 of an A100 (FlashAttention reaches 25 to 40 %
 *             of it, Dao 2023, arXiv
 *             2307.08691, abstract), 0.18 of an H100, whose own instructions it does not use.
 *   unfused   scores written to HBM, as in Megatron of 2021. Counted, not fitted: 13 bytes a score forwards (2 written, softmax
 *             2 + 2, dropout 2 + 2 and 1 of its mask, 2 read) and 19 backwards at the rate of elementwise kernels, and all
 *             products of the square. With one pass recomputed, 128 wide, 50 ps for 9 · 128 causal FLOPs on an A100 of
 *             80 GB: 0.07, on one of 40 GB as much less as its HBM is slower.
 *   flash2    FlashAttention-2, which PyTorch's scaled_dot_product_attention ran on Hopper in the development versions of 2.6 and 2.8 that torchtitan's
 *             tables were made with, and fms-fsdp in 2024: 35 % of an H100 (Shah et al. 2024, FlashAttention-3, arXiv 2407.08608, abstract).
 */
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { Chip, Efficiency } from '../../../src/hardware/chip.ts'
import { usualType } from '../../../src/recipe/element-type.ts'

export type AttentionKernel = 'triton' | 'unfused' | 'flash2'

const ofPeak: Readonly<Record<AttentionKernel, Readonly<Record<string, number>>>> = {
  triton: { 'a100-40g-sxm': 0.31, 'a100-80g-sxm': 0.31, 'h100-sxm': 0.18 },
  unfused: { 'a100-80g-sxm': 0.07, 'a100-40g-sxm': 0.053 },
  flash2: { 'h100-sxm': 0.35, 'h200-sxm': 0.35 },
}

/** Before what training does not sustain of it. */
export function attentionOf(
  kernel: AttentionKernel | undefined,
  chip: string,
  { attention, sustained = 1 }: Efficiency,
): number {
  if (!kernel) return attention
  const reached = ofPeak[kernel][chip]
  if (reached === undefined) throw new RangeError(`Nothing is known of ${kernel} attention on ${chip}`)
  return reached / sustained
}

/**
 * Of prompts whose scores are written to HBM, as FasterTransformer's are (src/fastertransformer/layers/attention_layers/GptContextAttentionLayer.cc): 2 bytes a score
 * written, 2 + 2 by softmax and 2 read, at the rate that matmuls stream, and both products of the whole square at the rate of matmuls. Half of its FLOPs
 * count, as under a causal mask; every chunk of keys is met anew, so that nothing is started.
 */
export function unfusedPrompts(
  { peakFlopsPerSecond, hbmBytesPerSecond }: Chip,
  { hbmEfficiency, matmulEfficiency }: Assumptions,
  width: number,
): Partial<Assumptions> {
  const peak = peakFlopsPerSecond[usualType] ?? Number.NaN
  const seconds = 8 / (hbmBytesPerSecond * hbmEfficiency) + (4 * width) / (peak * matmulEfficiency)
  return { attentionEfficiency: (2 * width) / (seconds * peak), attentionHalfKeys: 0 }
}
