/**
 * What DeepEP's kernels for few tokens ask of a step of generation, in which each chip sends its tokens to experts on others. A chip makes buffers for
 * the most tokens that it ever sends at once, n: E experts, copies included, each with a message of D values for each token, to send and to receive,
 * twice each,
 *
 *   4·E·n·max(2D + 16, 2D + 4·⌊D/128⌋) bytes
 *
 * More than 1024 would be mistaken for the end of sending, and more than 511 need a deeper queue (NVSHMEM_QP_DEPTH >= 2·(n + 1), 1024 by default).
 * Kernels for many tokens, and AMD's, have none of this. Source: deepseek-ai/DeepEP dd758ca (July 2026), csrc/legacy/config.hpp (LowLatencyLayout),
 * csrc/kernels/legacy/internode_ll.cu (LEGACY_FINISHED_SUM_TAG), deep_ep/buffers/legacy.py (nvshmem_qp_depth).
 */

import { isAmd } from '../../hardware/vendor.ts'
import type { Pass } from '../../inference/pass/pass.ts'
import type { PhaseMode } from '../../modes/names.ts'
import { redundantExperts } from '../../plan/inference/redundant-experts.ts'
import type { Setting } from '../../problem.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes } from '../../units.ts'

const mostSent = 1024
const usualDepth = 1024

/** Sizes of buffers, as graphs of steps are captured for every so many sequences. */
const stride = 32

/** A server that sends so many at most. */
interface Sending {
  readonly sentTokens: number
}

export type Stepped = Pick<Pass, 'shape' | 'resident' | 'halves'>

/**
 * The most tokens that a chip sends at once, rounded up to a size of buffers; 0 where other kernels send them, or none. Where the pass is that of a
 * plan, of one position for each sequence, a step may have `times` as many.
 */
export function sentTokens(
  { cluster }: Pick<Setting, 'cluster'>,
  mode: PhaseMode | 'serve',
  { data, expert }: Mesh,
  { shape, resident, halves }: Stepped,
  times = 1,
): number {
  if (expert === 1 || mode === 'prefill' || isAmd(cluster.chip) || cluster.chip.kind !== 'gpu') return 0
  // A step is not always halved: not where another chip has too few.
  const sequences = halves === 2 ? resident.sequences : shape.sequences
  return toStride(Math.ceil(Math.ceil(sequences / data) / expert) * Math.ceil(shape.positions) * times)
}

export function toStride(tokens: number): number {
  return Math.ceil(tokens / stride) * stride
}

/** Bytes of the buffers on each chip. */
export function sendBuffers(setting: Setting, mesh: Mesh, tokens: number): Bytes {
  const { experts, dModel } = setting.model
  const copies = (experts?.experts ?? 0) + redundantExperts(setting, mesh, 'dispatched')
  const message = 2 * dModel + Math.max(16, 4 * Math.floor(dModel / 128))
  return 4 * copies * tokens * message
}

export function sendsTooMany(tokens: number): boolean {
  return tokens > mostSent
}

/** Bytes that a step needs beside a plan's where buffers are a part of what it counts; Infinity where it sends too many. */
export function neededToSend(setting: Setting, mesh: Mesh, pass: Stepped): Bytes {
  return sendsTooMany(sentTokens(setting, 'generate', mesh, pass)) ? Number.POSITIVE_INFINITY : 0
}

/** The same of a server that has room in each step for all sequences that are resident, and not for those of one stage alone. */
export function neededForResident(setting: Setting, mesh: Mesh, { shape, ...pass }: Stepped): Bytes {
  return neededToSend(setting, mesh, { ...pass, shape: { ...shape, sequences: pass.resident.sequences } })
}

/** `roomOf` says for how many tokens a server makes room. */
export function sentTokensRule<Own extends Sending>(
  framework: string,
  roomOf: (own: Own) => number = ({ sentTokens: tokens }) => tokens,
): Rule<Own> {
  return {
    broken: (own) => sendsTooMany(roomOf(own)),
    says: (own) =>
      `${framework} generates with DeepEP's kernels for at most ${mostSent} tokens of a chip at once; the plan has up to ${roomOf(own)}: ask for fewer sequences (workload.maxSequences)`,
  }
}

/** Variables in front of a command, each with a blank behind it. */
export function sendingVariables({ sentTokens: tokens }: Sending): string {
  const depth = 2 ** Math.ceil(Math.log2(2 * (tokens + 1)))
  return depth > usualDepth ? `NVSHMEM_QP_DEPTH=${depth} ` : ''
}
