/**
 * What SGLang's kernels that send tokens to experts are told by variables of the shell, for either vendor's.
 *
 *   DeepEP   buffers for the most tokens that a chip ever sends at once, by its kernels for few tokens (server/sent-tokens.ts)
 *   MoRI     AITER's kernels for experts, the only ones beside it; buffers for all tokens of a step of a rank, 4096 by default, which
 *            the chunk of a group may not exceed; heaps of its own for these, which do not fit into the common one
 *
 * Source: sgl-project/sglang 001067f, server_args.py (_handle_a2a_moe asserts SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK for chunks, and looks at no
 * whole prompts), layers/moe/ep_moe/layer.py ("Mori need to be used together with aiter as of now"), layers/moe/token_dispatcher/moriep.py 0202c26,
 * its test of MoRI (MORI_SHMEM_MODE: "avoid out of symmetric heap memory").
 */
import { compact } from '../../compact.ts'
import { type ExpertKernels, expertKernels } from '../../hardware/vendor.ts'
import { wholePages } from '../server/pages.ts'
import { sendingVariables } from '../server/sent-tokens.ts'
import type { Serving } from '../server/serving.ts'
import { usualSent } from './memory.ts'
import { pagesOf } from './pages.ts'
import { sentTypesOf } from './sent-types.ts'

/** Tokens of a rank for which MoRI has buffers where nothing is said. */
const usualMori = 4096

const told: Readonly<Record<ExpertKernels, (own: Serving) => readonly string[]>> = {
  DeepEP: (own) =>
    compact(
      own.sentTokens > usualSent && `SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK=${own.sentTokens}`,
      sentTypesOf(own)?.wide && 'SGLANG_DEEPEP_BF16_DISPATCH=1',
    ),
  MoRI: (own) =>
    compact(
      ...['SGLANG_USE_AITER=1', 'MORI_SHMEM_MODE=ISOLATION'],
      stepTokens(own) > usualMori && `SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK=${stepTokens(own)}`,
    ),
}

/** The most tokens that a rank has in a step: where prompts are read whole, those of the longest. */
function stepTokens(own: Serving): number {
  const { mode, chunked, sequences, unitTokens, readTokens, contextLength } = own
  if (mode === 'generate') return sequences
  if (chunked || mode === 'serve' || readTokens > unitTokens) return wholePages(readTokens, pagesOf(own))
  return Math.max(unitTokens, contextLength)
}

/** Variables in front of a command, each with a blank behind it. */
export function sentVariables(own: Serving): string {
  const { experts, setting } = own
  const variables = experts?.sends ? told[expertKernels(setting.cluster.chip)](own) : []
  return variables.map((variable) => `${variable} `).join('') + sendingVariables(own)
}
