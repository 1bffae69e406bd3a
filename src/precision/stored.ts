/**
 * The types in which inference keeps and multiplies the numbers of a released checkpoint. Weights in fp32 are cast to 16 bits when
 * they are loaded (vLLM and SGLang, `--dtype auto`); quantised ones stay as they are, and are unpacked to bf16 at the matmul
 * where the chip does not compute in the type of their activations.
 */
import { quantizedBytes } from '../cost/memory/parameter-bytes.ts'
import type { Chip } from '../hardware/chip.ts'
import { peakOf, plainType, scalesBlocks } from '../hardware/peak.ts'
import type { Checkpoint } from '../model/hugging-face/checkpoint.ts'
import type { Precision, Setting } from '../problem.ts'
import { elementRow, isNarrow, usualType } from '../recipe/element-type.ts'
import type { ElementType } from '../recipe/element-types.ts'

/** The first checkpoint, or the first with weights of the type asked for; undefined when none has that type, as then no checkpoint applies. */
export function checkpointFor(
  checkpoints: readonly Checkpoint[],
  asked: ElementType | undefined,
): Checkpoint | undefined {
  if (asked === undefined) return checkpoints[0]
  return (
    checkpoints.find(({ weights }) => weights === asked) ??
    checkpoints.find(({ weights }) => plainType(weights) === asked)
  )
}

export function storedPrecision({ name, weights, quantized }: Checkpoint, chip: Chip): Partial<Precision> {
  const named = name === undefined ? {} : { checkpoint: name }
  if (!quantized) return { weights: isNarrow(weights) ? weights : usualType, ...named }
  const activations = quantized.activations ?? castBeside(weights, quantized, chip)
  const { kvCache } = quantized
  return {
    weights,
    parameterBytes: quantizedBytes(quantized),
    ...(quantized.block ? { weightBlock: quantized.block } : {}),
    ...(activations && peakOf(chip, activations) !== undefined ? { compute: activations } : {}),
    ...(kvCache ? { kvCache } : {}),
    ...named,
  }
}

/**
 * The experts of gpt-oss are multiplied beside inputs in MXFP8 where the chip scales blocks: by default of SGLang (flashinfer_mxfp4) and TensorRT-LLM
 * (W4A8_MXFP4_MXFP8), and of vLLM as its recipe starts it on B200 (vllm-project/recipes @8959cf6, models/openai/gpt-oss-120b.yaml). AITER's kernels for MI355X
 * unpack unless they are told otherwise (A8W4).
 */
function castBeside(
  weights: ElementType,
  { castsBeside }: NonNullable<Checkpoint['quantized']>,
  chip: Chip,
): ElementType | undefined {
  if (!castsBeside || !scalesBlocks(chip)) return undefined
  const besides: readonly ElementType[] = elementRow(weights).besides
  return besides.find((type) => peakOf(chip, type) !== undefined)
}

/** The type in which servers multiply weights of this one if no checkpoint says otherwise; undefined for bf16. */
export function castTo(weights: ElementType | undefined, chip: Chip): ElementType | undefined {
  return weights && elementRow(weights).castsInputs && peakOf(chip, weights) !== undefined
    ? weights
    : undefined
}

/** The precision of a problem with weights or caches in another type, as if a request had named it. */
export function narrowed(
  { precision, checkpoints = [], cluster }: Pick<Setting, 'precision' | 'checkpoints' | 'cluster'>,
  key: 'weights' | 'kvCache',
  type: ElementType,
): Precision {
  if (key === 'kvCache') return { ...precision, kvCache: type }
  const { parameterBytes: _bytes, weightBlock: _block, checkpoint: _name, ...plain } = precision
  const found = checkpointFor(checkpoints, type)
  // The compute type may have been asked for, so it stays; it is never slower than the one that the checkpoint would bring.
  const { compute: _compute, ...stored } = found ? storedPrecision(found, cluster.chip) : {}
  return { ...plain, weights: type, ...stored }
}
