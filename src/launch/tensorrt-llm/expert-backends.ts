/**
 * Backends of experts (moe_config.backend). CUTLASS has no kernels for weights in fp8 with scales for blocks on SM100, and where it is asked for
 * nothing takes its place ("no MoE implementation can serve this layer"); AUTO takes TRTLLM there, or CUTLASS in releases before. With copies that
 * move, the deployment guide has none for such weights on these chips ("WIDEEP without EPLB", which is gone, and DEEPGEMM, of which the source says
 * that they are "not verified yet"). Source: NVIDIA/TensorRT-LLM (2026), _torch/modules/fused_moe/fused_moe_cutlass.py (_QUANT_SUPPORT_TABLE),
 * _torch/model_config.py (resolve_moe_backend), fused_moe/quantization.py (DeepSeekFP8BlockScalesFusedMoEMethod), and
 * docs/source/deployment-guide/deployment-guide-for-deepseek-r1-on-trtllm.md, MoE Backend Support Matrix.
 */
import type { Chip } from '../../hardware/chip.ts'
import { plainType } from '../../hardware/peak.ts'
import { isBlackwell, isWorkstation } from '../../hardware/vendor.ts'
import type { Rule } from '../../rules/rule.ts'
import type { ClosedValues } from '../read/closed-values.ts'
import { wordsOf } from '../read/left-over.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { Serving } from '../server/serving.ts'

export const backendKey = 'moe_config.backend'

/** Values of its file that are a closed list: MoeConfig of llmapi/llm_args.py. */
export const tensorrtValues: ClosedValues = {
  [backendKey]: wordsOf(
    'AUTO CUTLASS CUTEDSL TRTLLM DEEPGEMM DENSEGEMM VANILLA TRITON MARLIN MEGAMOE_DEEPGEMM MEGAMOE_CUTEDSL',
  ),
}

const cutlass = 'CUTLASS'

/** Whether CUTLASS lacks the kernels for eight bits in blocks. */
function lacksBlocks(chip: Pick<Chip, 'name' | 'kin' | 'peakFlopsPerSecond'>): boolean {
  return isBlackwell(chip) && !isWorkstation(chip)
}

export const copiesRule: Rule<Serving> = {
  broken: ({ redundantExperts, setting: { precision, cluster } }) =>
    redundantExperts > 0 &&
    precision.weightBlock !== undefined &&
    plainType(precision.weights) === 'fp8' &&
    lacksBlocks(cluster.chip),
  says: ({ redundantExperts, setting: { cluster } }) =>
    `TensorRT-LLM balances ${redundantExperts} copies of experts by CUTLASS, which has no kernels for fp8 in blocks on ${cluster.chip.name}, and others are not verified`,
  unwritten: true,
}

/** Why a file's backend does not start with the checkpoint that it loads. */
export function refusedBackend(backend: string | null, { chip, model }: ReadingContext): string | null {
  const { peakFlopsPerSecond } = chip ?? {}
  if (backend !== cutlass || !model?.experts || !model.eightInBlocks || !chip || !peakFlopsPerSecond)
    return null
  if (!lacksBlocks({ ...chip, peakFlopsPerSecond })) return null
  return `${backendKey} ${cutlass} has no kernels for experts in fp8 in blocks on ${chip.name}, and TensorRT-LLM does not start: AUTO takes TRTLLM there`
}
