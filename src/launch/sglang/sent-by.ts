/**
 * DeepEP's kernels by which SGLang sends tokens to experts. By default (auto) a server makes buffers for both kinds, and so takes groups alone that its
 * kernels for many tokens take. Source: sgl-project/sglang 003a81b, layers/moe/token_dispatcher/deepep.py (get_deepep_buffer).
 */

import { hostOf } from '../../hardware/cluster/hosts.ts'
import { expertKernels } from '../../hardware/vendor.ts'
import { type DeepEpRelease, groupFault, type SendingKernels, sendsAmong } from '../deep-ep-groups.ts'
import type { Options } from '../read/options.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { Serving } from '../server/serving.ts'
import { sentTypesOf } from './sent-types.ts'

export const sglangDeepEp: DeepEpRelease = 'september2025'

/** The mode that has to be said: that of few tokens where those kernels alone take what is sent, or among so many. */
export function deepEpMode(own: Serving): string | null {
  const said = sentTypesOf(own)?.deepepMode
  const { experts, mode, tensors, setting } = own
  if (said || !experts?.sends || mode !== 'generate') return said ?? null
  const isOurs = expertKernels(setting.cluster.chip) === 'DeepEP'
  return isOurs && !sendsAmong(sglangDeepEp, 'many', tensors) ? 'low_latency' : null
}

interface Sent {
  readonly dispatch: string | null
  readonly ranks: number
  readonly role: string | null
}

/**
 * Why a command does not start, or stops at its first prompt. A server that reads none has to have buffers alone, which are made for some groups that
 * kernels are not; and on trays of NVL72 images have a fork (fzyzcjy/DeepEP, launch.cuh 2555874), which is taken to have all that others have.
 */
export function deepEpRefused(
  options: Options,
  { dispatch, ranks, role }: Sent,
  { innermostUnit = 1 }: Pick<ReadingContext, 'innermostUnit'>,
): string | null {
  if (dispatch !== 'deepep') return null
  const mode = options.text('--deepep-mode') ?? 'auto'
  const kernels: SendingKernels = mode === 'low_latency' ? 'few' : 'many'
  const lenient = (mode === 'auto' && role === 'decode') || hostOf(innermostUnit) < innermostUnit
  const fault = groupFault(lenient ? 'since' : sglangDeepEp, kernels, ranks)
  return (
    fault &&
    `--moe-a2a-backend deepep with --deepep-mode ${mode.slice(0, 100)} does not run: DeepEP's ${fault}`
  )
}
