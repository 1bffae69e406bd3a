/**
 * Scales of fp8 that the GPU has no matmuls for: Transformer Engine runs MXFP8 from compute capability 10.0 (NVIDIA/TransformerEngine d0067d0da,
 * pytorch/quantization.py, check_mxfp8_support), and stops at the first layer before.
 */
import { scalesBlocks } from '../../../../hardware/peak.ts'
import type { ReadingContext } from '../../../read/reading.ts'
import { mxfp8 } from '../../fp8-recipe.ts'
import { precisionSettings } from '../../precision.ts'
import type { MegatronSaid } from '../../settings.ts'

export function scalesFault(
  { precision: { fp8Format, fp8Recipe } }: MegatronSaid,
  chip: ReadingContext['chip'],
): string | null {
  const peaks = chip?.peakFlopsPerSecond
  if (fp8Format === null || fp8Recipe !== mxfp8 || !peaks) return null
  if (scalesBlocks({ peakFlopsPerSecond: peaks })) return null
  const { option } = precisionSettings.rows.fp8Recipe
  return `${option} ${mxfp8} is for GPUs whose matmuls take a scale for a block of numbers (Blackwell, MI350 and later), and ${chip.name} is none: ${option} blockwise, tensorwise or delayed`
}
