/**
 * The types below 16 bits in which Megatron-LM multiplies weights in bf16. Four bits are NVFP4, whatever scales a request names. Source: as
 * flags.ts, megatron/core/transformer/transformer_config.py (fp8, fp4: one of them at a time), megatron/core/fp4_utils.py.
 */
import type { ElementType } from '../../recipe/element-types.ts'

const fourBits: readonly ElementType[] = ['nvfp4', 'fp4']

export const narrowTypes: readonly ElementType[] = ['fp8', ...fourBits]

export function isFourBits(type: ElementType): boolean {
  return fourBits.includes(type)
}
