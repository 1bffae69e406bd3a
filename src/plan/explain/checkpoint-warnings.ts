/** Warnings about the released checkpoint that a problem's element types come from, or differ from. */
import { compact } from '../../compact.ts'
import { convertedBytes, parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import type { Chip } from '../../hardware/chip.ts'
import { peakOf } from '../../hardware/peak.ts'
import type { Checkpoint } from '../../model/hugging-face/checkpoint.ts'
import type { Transformer } from '../../model/transformer.ts'
import { partParameters, type WeightPart, weightParts } from '../../model/weight-parts.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import { bytesText, percent } from './figures.ts'

export function releasedAlone(checkpoint: Checkpoint): string {
  return `${opening(checkpoint)} has weights in ${checkpoint.weights}: training is costed with weights and matmuls in bf16 unless precision says otherwise.`
}

export function anotherType(checkpoint: Checkpoint, { weights }: Precision): string {
  return `${opening(checkpoint)} has weights in ${checkpoint.weights}: as the request asks, all weights are costed in ${weights} at ${8 * elementBytes[weights]} bits.`
}

/** Stored bytes and element types as released; nothing if the checkpoint is not quantised. */
export function storedWarnings(
  precision: Precision,
  asked: Partial<Precision>,
  chip: Chip,
  model: Transformer,
  checkpoint: Checkpoint,
): readonly string[] {
  const { weights, quantized } = checkpoint
  if (!quantized) return []
  const { activations, bits, partBits, kept, keptShares } = quantized
  const parameters = partParameters(model)
  const left = weightParts.filter((part) => keptShares[part] > 0 && parameters[part] > 0)
  const total = (bytes: (part: WeightPart) => number) =>
    bytesText(weightParts.reduce((sum, part) => sum + parameters[part] * bytes(part), 0))
  const converted = total((part) => convertedBytes(quantized, part))
  const untouched = total((part) => parameterBytes(precision, part) - convertedBytes(quantized, part))
  const ofExperts = Object.entries(partBits ?? {}).map(([part, fewer]) => ` (${part} at ${fewer})`)
  const missing = asked.compute === undefined && activations && precision.compute !== activations
  return compact(
    `${storedText(checkpoint)}: ${converted} in ${weights} at ${Number(bits.toFixed(3))} bits${ofExperts.join('')} with scales${
      left.length > 0
        ? `, ${untouched} left in ${kept} (${left.map((part) => partText(part, keptShares[part])).join(', ')})`
        : ''
    }; all matmuls are costed in ${precision.compute}, caches in ${precision.kvCache}.`,
    missing &&
      `The checkpoint has activations in ${activations}, which ${chip.name} does not compute in: weights are unpacked to bf16.`,
  )
}

export function unpacked({ weights, compute }: Precision, chip: Chip): string | null {
  if (weights === compute || peakOf(chip, weights) !== undefined) return null
  return `${chip.name} does not compute in ${weights}: weights are unpacked to ${compute}.`
}

function storedText({ name, guessedFrom }: Checkpoint): string {
  return guessedFrom === undefined
    ? `Weights are as ${name ?? 'the Hugging Face config'} stores them`
    : `How ${name ?? 'the checkpoint'} stores weights is a guess from ${guessedFrom} (its config.json as model.huggingFace says it)`
}

function opening({ name }: Checkpoint): string {
  return name ?? 'The Hugging Face config'
}

function partText(part: WeightPart, share: number): string {
  const name = part === 'sharedExperts' ? 'shared experts' : part
  return share < 1 ? `${percent(share)} of ${name}` : name
}
