/**
 * Bytes of one parameter of each part of a model, as kept and streamed: those of its element type or, where a checkpoint
 * says how it is quantised,
 *
 *   (1 - s)·b/8 + s·k      b bits with scales; s the share of the part that is left in a type of k bytes
 */
import type { Quantized } from '../../model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../model/transformer.ts'
import {
  type ByPart,
  byPart,
  partParameters,
  type WeightPart,
  weightParts,
} from '../../model/weight-parts.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { Bytes } from '../../units.ts'

/** Bytes of a parameter of a part; without a part, or where no checkpoint says more, those of the weights' type. */
export function parameterBytes({ weights, parameterBytes }: Precision, part?: WeightPart): Bytes {
  if (part === undefined) return elementBytes[weights]
  return parameterBytes?.[part] ?? elementBytes[weights]
}

export function quantizedBytes(quantized: Quantized): ByPart {
  const { kept, keptShares } = quantized
  return byPart((part) => convertedBytes(quantized, part) + keptShares[part] * elementBytes[kept])
}

/** Mean bytes of a parameter, over the parameters in matmuls. */
export function meanParameterBytes(precision: Precision, model: Transformer): Bytes {
  const parameters = { ...partParameters(model), embedding: 0, unembedding: model.vocab * model.dModel }
  const total = (value: (part: WeightPart) => number) =>
    weightParts.reduce((sum, part) => sum + parameters[part] * value(part), 0)
  return total((part) => parameterBytes(precision, part)) / total(() => 1)
}

/** Bytes that the converted share of a part takes, for each parameter of the part. */
export function convertedBytes({ bits, partBits, keptShares }: Quantized, part: WeightPart): Bytes {
  return (1 - keptShares[part]) * ((partBits?.[part] ?? bits) / 8)
}
