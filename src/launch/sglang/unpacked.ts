/**
 * Weights in four bits that SGLang unpacks to bf16 as it multiplies. MXFP4 has such kernels for experts alone. NVFP4 is unpacked by Marlin's on GPUs of
 * NVIDIA without arithmetic in four bits, in every layer: they are the default of dense layers there, while experts have to be told
 * (--moe-runner-backend; by default the factor of routed experts counts twice), and shared experts must not be fused with them. Source:
 * sgl-project/sglang 001067f, server_args.py (fp4_gemm_runner_backend: "marlin on SM80-SM90"); pull requests 19652, 22513 (routed_scaling_factor), 25655
 * and 37325 (GLM-5.3 on H100, shared experts), issue 37268.
 */

import { isAmd } from '../../hardware/vendor.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Rule } from '../../rules/rule.ts'
import { sharesExperts } from '../server/attention-groups.ts'
import { unpacksWeights } from '../server/formats.ts'
import type { Serving } from '../server/serving.ts'

/** Types that are unpacked in every layer. */
export const unpackedEverywhere: readonly ElementType[] = ['nvfp4']

function byMarlin({ setting: { precision } }: Serving): boolean {
  return unpacksWeights(precision) && unpackedEverywhere.includes(precision.weights)
}

export function unpackingRunner(own: Serving): string | null {
  return byMarlin(own) && own.experts !== null ? 'marlin' : null
}

export function keepsSharedApart(own: Serving): boolean {
  return unpackingRunner(own) !== null && sharesExperts(own)
}

export const marlinRule: Rule<Serving> = {
  broken: (own) => byMarlin(own) && isAmd(own.setting.cluster.chip),
  says: ({ setting }) =>
    `SGLang unpacks weights in ${setting.precision.weights} by Marlin's kernels, which GPUs of AMD do not have`,
}
