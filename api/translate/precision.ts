/**
 * The element types of a problem: what the request says, else in inference what the checkpoint says, else bf16.
 *
 * Quantisation in a config is of the released weights: training is costed in bf16 unless the request says otherwise.
 * Megatron accumulates and reduces gradients in fp32, MaxText in bf16: that default follows the chips.
 */
import { parameterBytes, quantizedBytes } from '../../src/cost/parameter-bytes.ts'
import type { Chip, ElementType } from '../../src/hardware/chip.ts'
import type { Checkpoint } from '../../src/model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../src/model/transformer.ts'
import { partParameters, type WeightPart, weightParts } from '../../src/model/weight-parts.ts'
import { bytesText, percent } from '../../src/plan/figures.ts'
import type { Precision } from '../../src/problem.ts'
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
  { transformer, checkpoint }: ResolvedModel,
): ResolvedPrecision {
  const accumulated = chip.kind === 'gpu' && basisOf(assumptions) === 'calibrated' ? 'fp32' : 'bf16'
  const training = workload.mode === 'train'
  const stored = training ? undefined : storedPrecision(asked.weights, chip, checkpoint)
  const precision: Precision = {
    weights: asked.weights ?? stored?.weights ?? 'bf16',
    compute: asked.compute ?? stored?.compute ?? 'bf16',
    kvCache: asked.kvCache ?? stored?.kvCache ?? 'bf16',
    gradients: asked.gradients ?? accumulated,
    optimizer: asked.optimizer,
    ...(stored?.parameterBytes ? { parameterBytes: stored.parameterBytes } : {}),
  }
  if (!checkpoint?.quantized) return { precision, warnings: [] }
  if (!training)
    return { precision, warnings: storedWarnings(precision, asked, chip, transformer, checkpoint) }
  const said = asked.weights !== undefined || asked.compute !== undefined
  return { precision, warnings: said ? [] : [releasedAlone(checkpoint.weights)] }
}

/** Weights in another type than the checkpoint's are another checkpoint: nothing of it holds then. */
function storedPrecision(
  asked: ElementType | undefined,
  chip: Chip,
  checkpoint: Checkpoint | undefined,
): Partial<Precision> {
  if (!checkpoint || (asked !== undefined && asked !== checkpoint.weights)) return {}
  const { weights, quantized } = checkpoint
  if (!quantized) return { weights }
  const { activations, kvCache } = quantized
  const computes = activations && chip.peakFlopsPerSecond[activations] !== undefined
  return {
    weights,
    parameterBytes: quantizedBytes(quantized),
    ...(computes ? { compute: activations } : {}),
    ...(kvCache ? { kvCache } : {}),
  }
}

function releasedAlone(weights: ElementType): string {
  return `The Hugging Face config is of weights released in ${weights}: training is costed with weights and matmuls in bf16 unless precision says otherwise.`
}

function storedWarnings(
  precision: Precision,
  asked: Asked['precision'],
  chip: Chip,
  model: Transformer,
  { weights, quantized }: Checkpoint,
): readonly string[] {
  if (!quantized || !precision.parameterBytes) return []
  const { activations, bits, kept, keptShares } = quantized
  const parameters = partParameters(model)
  const left = weightParts.filter((part) => keptShares[part] > 0 && parameters[part] > 0)
  const total = (bytes: (part: WeightPart) => number) =>
    bytesText(weightParts.reduce((sum, part) => sum + parameters[part] * bytes(part), 0))
  const converted = total((part) => (1 - keptShares[part]) * (bits / 8))
  const untouched = total((part) => parameterBytes(precision, part) - (1 - keptShares[part]) * (bits / 8))
  const missing = asked.compute === undefined && activations && precision.compute !== activations
  return [
    `Weights are as the Hugging Face config stores them: ${converted} in ${weights} at ${Number(bits.toFixed(3))} bits with scales${
      left.length > 0
        ? `, ${untouched} left in ${kept} (${left.map((part) => named(part, keptShares[part])).join(', ')})`
        : ''
    }; all matmuls are costed in ${precision.compute}, caches in ${precision.kvCache}.`,
    ...(missing
      ? [
          `The config has activations in ${activations}, which ${chip.name} does not compute in: weights are unpacked to bf16.`,
        ]
      : []),
  ]
}

function named(part: WeightPart, share: number): string {
  const name = part === 'sharedExperts' ? 'shared experts' : part
  return share < 1 ? `${percent(share)} of ${name}` : name
}
