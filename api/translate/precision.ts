/**
 * The element types of a problem: what the request says, else in inference what the released checkpoint says, be it of a
 * catalogue name or of a Hugging Face config, else bf16.
 *
 * Quantisation is of the released weights: training is costed in bf16 unless the request says otherwise.
 * Megatron accumulates and reduces gradients in fp32, MaxText in bf16: that default follows the chips.
 */

import { parameterBytes } from '../../src/cost/memory/parameter-bytes.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import { peakOf } from '../../src/hardware/peak.ts'
import type { Checkpoint } from '../../src/model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../src/model/transformer.ts'
import { partParameters, type WeightPart, weightParts } from '../../src/model/weight-parts.ts'
import { bytesText, percent } from '../../src/plan/explain/figures.ts'
import type { Precision } from '../../src/problem.ts'
import { elementBytes, usualType } from '../../src/recipe/element-type.ts'
import { checkpointFor, storedPrecision } from '../../src/stored-precision.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { basisOf } from './assumptions.ts'
import type { ResolvedModel } from './resolved-model.ts'

export interface ResolvedPrecision {
  readonly precision: Precision
  readonly warnings: readonly string[]
}

type Asked = Pick<OptimizeRequest, 'precision' | 'assumptions' | 'workload'>

export function precisionOf(
  { precision: asked, assumptions, workload }: Asked,
  chip: Chip,
  { transformer, checkpoints }: ResolvedModel,
): ResolvedPrecision {
  const accumulated = chip.kind === 'gpu' && basisOf(assumptions) === 'calibrated' ? 'fp32' : usualType
  const training = workload.mode === 'train'
  const checkpoint = training ? undefined : checkpointFor(checkpoints, asked.weights)
  const stored = checkpoint && storedPrecision(checkpoint, chip)
  const own = checkpoint?.quantized ? undefined : asked.weights
  const precision: Precision = {
    weights: own ?? stored?.weights ?? usualType,
    compute: asked.compute ?? stored?.compute ?? usualType,
    kvCache: asked.kvCache ?? stored?.kvCache ?? usualType,
    gradients: asked.gradients ?? accumulated,
    optimizer: asked.optimizer,
    ...(stored?.parameterBytes ? { parameterBytes: stored.parameterBytes } : {}),
    ...(stored?.checkpoint === undefined ? {} : { checkpoint: stored.checkpoint }),
  }
  const [first] = checkpoints
  if (training) {
    const said = asked.weights !== undefined || asked.compute !== undefined
    return { precision, warnings: first?.quantized && !said ? [releasedAlone(first)] : [] }
  }
  if (checkpoint) {
    return { precision, warnings: storedWarnings(precision, asked, chip, transformer, checkpoint) }
  }
  return {
    precision,
    warnings: [...(first?.quantized ? [another(first, precision)] : []), ...unpacked(precision, chip)],
  }
}

function releasedAlone(checkpoint: Checkpoint): string {
  return `${opening(checkpoint)} is of weights released in ${checkpoint.weights}: training is costed with weights and matmuls in bf16 unless precision says otherwise.`
}

function another(checkpoint: Checkpoint, { weights }: Precision): string {
  return `${opening(checkpoint)} is of weights in ${checkpoint.weights}: as asked, all are costed in ${weights} at ${8 * elementBytes[weights]} bits.`
}

/** Bytes and types as released; nothing of note where everything is in 16 bits. */
function storedWarnings(
  precision: Precision,
  asked: Asked['precision'],
  chip: Chip,
  model: Transformer,
  checkpoint: Checkpoint,
): readonly string[] {
  const { weights, quantized } = checkpoint
  if (!quantized) return []
  const { activations, bits, kept, keptShares } = quantized
  const parameters = partParameters(model)
  const left = weightParts.filter((part) => keptShares[part] > 0 && parameters[part] > 0)
  const total = (bytes: (part: WeightPart) => number) =>
    bytesText(weightParts.reduce((sum, part) => sum + parameters[part] * bytes(part), 0))
  const converted = total((part) => (1 - keptShares[part]) * (bits / 8))
  const untouched = total((part) => parameterBytes(precision, part) - (1 - keptShares[part]) * (bits / 8))
  const missing = asked.compute === undefined && activations && precision.compute !== activations
  return [
    `Weights are as ${sourceOf(checkpoint)} stores them: ${converted} in ${weights} at ${Number(bits.toFixed(3))} bits with scales${
      left.length > 0
        ? `, ${untouched} left in ${kept} (${left.map((part) => partText(part, keptShares[part])).join(', ')})`
        : ''
    }; all matmuls are costed in ${precision.compute}, caches in ${precision.kvCache}.`,
    ...(missing
      ? [
          `The checkpoint has activations in ${activations}, which ${chip.name} does not compute in: weights are unpacked to bf16.`,
        ]
      : []),
  ]
}

function unpacked({ weights, compute }: Precision, chip: Chip): readonly string[] {
  if (weights === compute || peakOf(chip, weights) !== undefined) return []
  return [`${chip.name} does not compute in ${weights}: weights are unpacked to ${compute}.`]
}

function sourceOf({ name }: Checkpoint): string {
  return name ?? 'the Hugging Face config'
}

function opening({ name }: Checkpoint): string {
  return name ?? 'The Hugging Face config'
}

function partText(part: WeightPart, share: number): string {
  const name = part === 'sharedExperts' ? 'shared experts' : part
  return share < 1 ? `${percent(share)} of ${name}` : name
}
