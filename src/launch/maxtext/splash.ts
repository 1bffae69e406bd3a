/**
 * Blocks of positions in which MaxText's attention on TPUs (splash attention) reads queries and keys. A block divides the
 * positions that a chip has where the kernel runs, and has a multiple of 128, the lanes of a vector register; without a key a
 * block has 512, or all of a shorter sequence:
 *
 *   gather    a chip's own queries, all keys. What is shorter counts before queries are shared out, so that 512 stays
 *   ring      a chip's own queries and keys
 *   ulysses   all queries and keys, of some heads
 *
 * Source: AI-Hypercomputer/maxtext e591f30, src/maxtext/layers/attention_op.py (tpu_flash_attention),
 * src/maxtext/kernels/attention/tokamax_ring_attention.py (build_splash_config); jax-ml/jax 0.10.2,
 * jax/experimental/pallas/ops/tpu/splash_attention/splash_attention_mask_info.py (_process_mask) and
 * splash_attention_kernel.py (NUM_LANES).
 */
import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import type { Rule } from '../../rules/rule.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import type { LayoutRun, MeshRun } from '../run/run.ts'
import type { MaxtextConfig } from './keys.ts'

/** Positions of a sequence, how many chips share them out, and how keys come to queries there. */
export interface SharedPositions {
  readonly sequenceLength: number
  readonly context: number
  readonly contextLayout: ContextLayout
}

interface Blocked {
  /** Keys of MaxText that say how many positions a block has. */
  readonly keys: readonly string[]
  /** Positions that a block divides. */
  readonly positions: number
  /** The most that a block has, whatever a key says. */
  readonly most: number
}

export const lanes = 128
export const usualBlock = 512
/** Google's recipes have blocks of 1024 and more. */
const largestBlock = 1024

const ofQueries = ['sa_block_q', 'sa_block_q_dkv', 'sa_block_q_dq']
const ofKeys = [
  ...['sa_block_kv', 'sa_block_kv_compute', 'sa_block_kv_dkv', 'sa_block_kv_dkv_compute'],
  'sa_block_kv_dq',
]

export function blockedPositions({
  sequenceLength,
  context,
  contextLayout,
}: SharedPositions): readonly Blocked[] {
  const own = sequenceLength / context
  const row = context === 1 ? 'exchanged' : contextLayoutRow(contextLayout).keys
  const queries = row === 'exchanged' ? sequenceLength : own
  const keys = row === 'own' ? own : sequenceLength
  return [
    { keys: ofQueries, positions: queries, most: keys },
    { keys: ofKeys, positions: keys, most: keys },
  ]
}

/** Whether a block divides its positions and has whole vectors. */
export function blockFits({ positions, most }: Blocked, block: number = usualBlock): boolean {
  const own = Math.min(block, most)
  return positions % own === 0 && own % lanes === 0
}

/** The keys of a run on TPUs that MaxText's own blocks do not fit. */
export function splashKeys({ mesh: { context }, ...run }: LayoutRun): MaxtextConfig {
  if (run.problem.cluster.chip.kind !== 'tpu') return {}
  const unfit = blockedPositions({ ...run, context }).filter((blocked) => !blockFits(blocked))
  return Object.fromEntries(
    unfit.flatMap(({ keys, positions }) => keys.map((key) => [key, largestOf(positions)])),
  )
}

function largestOf(positions: number): number {
  const blocks = divisorsOf(positions / lanes).map((times) => times * lanes)
  return Math.max(lanes, ...blocks.filter((block) => block <= largestBlock))
}

export const sequenceRules: readonly Rule<MeshRun>[] = [
  {
    broken: ({ problem, sequenceLength }) =>
      problem.cluster.chip.kind === 'tpu' && sequenceLength % lanes !== 0,
    says: ({ sequenceLength }) =>
      `MaxText's attention on TPUs reads blocks of ${lanes} positions, which do not divide the sequence length ${sequenceLength}`,
  },
]

export const splashRules: readonly Rule<LayoutRun>[] = [
  {
    broken: ({ problem, mesh: { context }, sequenceLength, contextLayout }) =>
      problem.cluster.chip.kind === 'tpu' &&
      context > 1 &&
      contextLayoutRow(contextLayout).keys !== 'exchanged' &&
      sequenceLength % (lanes * context) !== 0,
    says: ({ mesh: { context }, sequenceLength }) =>
      `MaxText's attention on TPUs reads blocks of ${lanes} positions, which do not divide the ${sequenceLength} / ${context} of a chip`,
  },
]
