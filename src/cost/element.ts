/**
 * Bytes of one element, with the scales that are part of its format:
 *
 *   mxfp4   4 + 8/32 bits   an exponent of 8 bits for 32 elements   OCP Microscaling Formats v1.0, table 1
 *   nvfp4   4 + 8/16 bits   an e4m3 for 16 elements                 NVIDIA, "Introducing NVFP4" (2025)
 *
 * Scales of the other types are not the type's but a checkpoint's, which says them (model/hugging-face/quantization.ts).
 */
import type { ElementType } from '../hardware/chip.ts'

export const elementBytes: Readonly<Record<ElementType, number>> = {
  fp32: 4,
  bf16: 2,
  fp8: 1,
  int8: 1,
  fp4: 0.5,
  mxfp4: (4 + 8 / 32) / 8,
  nvfp4: (4 + 8 / 16) / 8,
  int4: 0.5,
}
