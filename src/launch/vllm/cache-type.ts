/**
 * Caches in fp8_e5m2 beside weights whose checkpoint may have scales for caches: vLLM raises as it builds attention. Methods of AWQ and GPTQ have no
 * such scales; of compressed-tensors it depends on the release, and on whether the checkpoint says a scheme for caches. Source:
 * vllm-project/vllm 0014ca6, vllm/model_executor/layers/attention/attention.py (_init_kv_cache_quant), quantization/fp8.py and modelopt.py
 * (get_quant_method, for attention that is not latent).
 */
import { compact } from '../../compact.ts'
import type { ReadingContext } from '../read/reading.ts'

const option = '--kv-cache-dtype fp8_e5m2'

/** Methods by which vLLM has scales for all attention. */
const scaling: readonly string[] = ['fp8', 'modelopt']

interface CacheTypeSaid {
  readonly notes: readonly string[]
  /** Those of the notes for which the server does not start. */
  readonly refusals: readonly string[]
}

/** `weights` is their type, as far as it is said. */
export function cacheTypeSaid(
  written: string | null,
  weights: string | undefined,
  named: string | null,
  { model }: ReadingContext,
): CacheTypeSaid {
  if (written !== 'fp8_e5m2' || model?.latent) return { notes: [], refusals: [] }
  const stored = model?.storedBy
  const which = (named ?? 'the checkpoint').slice(0, 100)
  const isScaled = stored !== undefined && stored.length > 0 && stored.every((one) => scaling.includes(one))
  const refusals = compact(
    isScaled &&
      `${option} is refused for ${which}, which is stored by ${stored.join(' or ')}: --kv-cache-dtype fp8 is e4m3, which it takes`,
  )
  const isOpen = !isScaled && weights === 'fp8'
  const notes = compact(
    isOpen &&
      `${option} is refused for weights in fp8 unless their checkpoint is one of compressed-tensors without a scheme for caches, of which it is not known: --kv-cache-dtype fp8 is e4m3, which all take`,
  )
  return { notes: [...refusals, ...notes], refusals }
}
