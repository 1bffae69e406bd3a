/**
 * The element types in which SGLang sends tokens to experts, a row for each way through its kernels: DeepEP's take eight bits unless they are told
 * to keep 16, and hand what they bring to DeepGEMM, which Hopper and Blackwell have. What no row has runs into "forward_deepgemm_contiguous is
 * deprecated" at the first prompt: int4 (pull requests 13789 and 22496 are not merged), int8, and eight bits that are not stored by `fp8`.
 *
 *   bf16   by DeepGEMM in 16 bits (pull request 17392; without the runner "Unquantized DeepEP MoE currently supports low_latency mode only")
 *   fp4 beside fp8 (DeepSeek-V4)   by DeepGEMM on Blackwell; by default it takes FlashInfer's kernels for MXFP4, and Hopper Marlin's, which nothing
 *          hands tokens to (issue 37268, v0.5.18)
 *   NVFP4  by FlashInfer's CuTe DSL kernels for few tokens alone (pull requests 12782 and 29523), so that prompts have none
 *
 * On AMD all is AITER's, which takes what MoRI brings in the types that people ran: bf16 and fp8 (pull request 34006, InferenceX), MXFP4 (35630). Source:
 * sgl-project/sglang 001067f, server_args.py (_handle_a2a_moe); layers/moe/ep_moe/layer.py of July 2026 (DeepEPMoE); moe_runner/deep_gemm.py;
 * layers/quantization/unquant.py (use_fp8 = not SGLANG_DEEPEP_BF16_DISPATCH); arg_groups/overrides.py (_deepseek_v4_overrides).
 */

import { scalesBlocks } from '../../hardware/peak.ts'
import { type ExpertKernels, expertKernels } from '../../hardware/vendor.ts'
import type { Precision } from '../../problem.ts'
import type { Rule } from '../../rules/rule.ts'
import { formatPair } from '../server/formats.ts'
import type { Serving } from '../server/serving.ts'
import { storedIn } from '../server/stored-by.ts'

interface SentTypes {
  readonly kernels: ExpertKernels
  /** Weights and matmuls of experts. */
  readonly pair: string
  /** Whether the chip has to scale blocks. */
  readonly blocks?: boolean
  /** How the checkpoint has to be stored; any way when absent. */
  readonly stored?: string
  /** Whether it takes few tokens alone, as steps of generation have. */
  readonly few?: boolean
  readonly runner?: string
  readonly deepepMode?: string
  /** Whether tokens are sent in 16 bits. */
  readonly wide?: boolean
}

const fourBesideEight = 'fp4/fp8'
const byDeepEp = { kernels: 'DeepEP' } as const
const byMori = { kernels: 'MoRI' } as const

const rows: readonly SentTypes[] = [
  { ...byDeepEp, pair: 'fp8/fp8', stored: 'fp8' },
  { ...byDeepEp, pair: 'bf16/bf16', runner: 'deep_gemm', wide: true },
  { ...byDeepEp, pair: fourBesideEight, stored: 'fp8', blocks: true, runner: 'deep_gemm' },
  {
    ...{ ...byDeepEp, pair: 'fp4/fp4', stored: 'modelopt', few: true, wide: true },
    ...{ runner: 'flashinfer_cutedsl', deepepMode: 'low_latency' },
  },
  { ...byMori, pair: 'bf16/bf16' },
  { ...byMori, pair: 'fp8/fp8' },
  { ...byMori, pair: 'fp4/fp4' },
  { ...byMori, pair: 'fp4/bf16' },
  { ...byMori, pair: fourBesideEight },
]

/** Experts of a release may have fewer bits than its other weights. */
function pairOf(precision: Precision): string {
  const pair = formatPair(precision)
  const bytes = precision.parameterBytes?.experts ?? 1
  return pair === 'fp8/fp8' && bytes < 0.75 ? fourBesideEight : pair
}

/** Null where tokens are not sent, or not in these types. */
export function sentTypesOf(own: Serving): SentTypes | null {
  if (!own.experts?.sends) return null
  const { setting } = own
  const { chip } = setting.cluster
  const kernels = expertKernels(chip)
  const pair = pairOf(setting.precision)
  const row = rows.find((one) => one.kernels === kernels && one.pair === pair)
  if (!row || (kernels === 'DeepEP' && chip.peakFlopsPerSecond.fp8 === undefined)) return null
  if (row.blocks && !scalesBlocks(chip)) return null
  const stored = storedIn(setting)
  const loads = row.stored === undefined || stored === undefined || stored.includes(row.stored)
  return loads && !(row.few && own.mode !== 'generate') ? row : null
}

export const sentTypesRule: Rule<Serving> = {
  broken: (own) => own.experts?.sends === true && sentTypesOf(own) === null,
  says: (own) => {
    const { precision } = own.setting
    const { checkpoint } = precision
    const [weights = '', compute = ''] = pairOf(precision).split('/')
    const where = own.mode === 'generate' ? '' : ' in prefill'
    const stored = storedIn(own.setting) ?? []
    const by = checkpoint && stored.length > 0 ? ` (${checkpoint} is stored by ${stored.join(' or ')})` : ''
    return `SGLang sends no tokens to experts in ${weights} with matmuls in ${compute} on ${own.setting.cluster.chip.name}${where}${by}: no kernels take what ${expertKernels(own.setting.cluster.chip)} brings`
  },
}
