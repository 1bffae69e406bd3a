/**
 * The element types of a problem: what the request says; else, in inference, what the released checkpoint says (of the catalogue
 * or of a Hugging Face config), or how servers multiply weights of the type that the request names; else bf16.
 *
 * Only released weights are quantised: training is costed in bf16 unless the request says otherwise.
 * Megatron accumulates and reduces gradients in fp32, MaxText in bf16, so that default follows the chips.
 */
import { compact } from '../compact.ts'
import type { Chip } from '../hardware/chip.ts'
import { usualCacheType } from '../model/cache-type.ts'
import type { Checkpoint } from '../model/hugging-face/checkpoint.ts'
import type { Transformer } from '../model/transformer.ts'
import { anotherType, releasedAlone, storedWarnings, unpacked } from '../plan/explain/checkpoint-warnings.ts'
import type { Precision } from '../problem.ts'
import { usualType } from '../recipe/element-type.ts'
import { castTo, checkpointFor, storedPrecision } from './stored.ts'

/** What a request says. Only the optimizer's type is always there: its default is set elsewhere. */
export type AskedPrecision = Partial<Precision> & Pick<Precision, 'optimizer'>

export interface ResolvedPrecision {
  readonly precision: Precision
  readonly warnings: readonly string[]
}

interface Whose {
  readonly chip: Chip
  readonly model: Transformer
  readonly checkpoints: readonly Checkpoint[]
  readonly training: boolean
  /** Whether gradients are accumulated as software on the chip does it, or as the book has it. */
  readonly calibrated: boolean
}

export function resolvedPrecision(
  asked: AskedPrecision,
  { chip, model, checkpoints, training, calibrated }: Whose,
): ResolvedPrecision {
  const accumulated = chip.kind === 'gpu' && calibrated ? 'fp32' : usualType
  const checkpoint = training ? undefined : checkpointFor(checkpoints, asked.weights)
  const stored = checkpoint && storedPrecision(checkpoint, chip)
  const own = checkpoint?.quantized ? undefined : asked.weights
  const precision: Precision = {
    weights: own ?? stored?.weights ?? usualType,
    compute: asked.compute ?? stored?.compute ?? (training ? undefined : castTo(own, chip)) ?? usualType,
    kvCache: asked.kvCache ?? stored?.kvCache ?? (training ? usualType : usualCacheType(model)),
    gradients: asked.gradients ?? accumulated,
    optimizer: asked.optimizer,
    ...(stored?.parameterBytes ? { parameterBytes: stored.parameterBytes } : {}),
    ...(stored?.weightBlock ? { weightBlock: stored.weightBlock } : {}),
    ...(stored?.checkpoint === undefined ? {} : { checkpoint: stored.checkpoint }),
  }
  const [first] = checkpoints
  if (training) {
    const said = asked.weights !== undefined || asked.compute !== undefined
    return { precision, warnings: first?.quantized && !said ? [releasedAlone(first)] : [] }
  }
  if (checkpoint) return { precision, warnings: storedWarnings(precision, asked, chip, model, checkpoint) }
  return {
    precision,
    warnings: compact(first?.quantized && anotherType(first, precision), unpacked(precision, chip)),
  }
}
