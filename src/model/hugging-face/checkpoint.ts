/**
 * What a config says of the numbers in its checkpoint: the element type of most weights and, where these are quantised, the
 * bits of one with its scales, the parts of the model that stay in the config's dtype, and the types of activations and caches.
 * A type without a counterpart here is read as the nearest that has one: fp16 as bf16, float64 as fp32.
 *
 * Quantisers convert the matmuls of layers, not look-up tables nor, unless told, the head: transformers,
 * quantizers/base.py (get_modules_to_not_convert) and the quantisers' own formats. MLX converts all (quantization.ts).
 */

import { ownValue } from '../../fields.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Transformer } from '../transformer.ts'
import { type ByPart, byPart, type WeightPart } from '../weight-parts.ts'
import type { Fields } from './fields.ts'
import { keptModules, keptShare } from './kept-modules.ts'
import { quantizationOf, type Scheme } from './quantization.ts'

export interface Quantized extends Scheme {
  /** Type of what is not converted. */
  readonly kept: ElementType
  /** The share of each part's parameters that is not converted. */
  readonly keptShares: ByPart
}

export interface Checkpoint {
  /** Where the checkpoint is kept, as `owner/name`. */
  readonly name?: string
  /** What its layout is guessed from, where nothing but its name is known of it. */
  readonly guessedFrom?: string
  /** Type of most weights. */
  readonly weights: ElementType
  readonly quantized?: Quantized
}

const dtypes: Readonly<Record<string, ElementType>> = {
  float64: 'fp32',
  float32: 'fp32',
  bfloat16: 'bf16',
  float16: 'bf16',
  float8_e4m3fn: 'fp8',
  float8_e5m2: 'fp8',
}

/** Reads the checkpoint's types, for the model that the config turns out to have; undefined when the config says nothing. */
export function checkpointIn(
  config: Fields,
  above: Fields = config,
): ((model: Transformer) => Checkpoint) | undefined {
  const dtype = dtypeOf(config) ?? dtypeOf(above)
  const found = quantizationOf(config) ?? (above === config ? undefined : quantizationOf(above))
  if (!found) return dtype && (() => ({ weights: dtype }))
  const { scheme, quantization } = found
  const kept = dtype ?? 'bf16'
  const modules = keptModules(quantization)
  const untouched: readonly WeightPart[] = scheme.tables
    ? []
    : scheme.head
      ? ['embedding']
      : ['embedding', 'unembedding']
  return (model) => {
    const keptShares = byPart((part) => (untouched.includes(part) ? 1 : keptShare(part, modules, model)))
    return { weights: scheme.weights, quantized: { ...scheme, kept, keptShares } }
  }
}

function dtypeOf(config: Fields): ElementType | undefined {
  const name = (config.text('torch_dtype') ?? config.text('dtype'))?.replace('torch.', '')
  return name === undefined ? undefined : ownValue(dtypes, name)
}
