/**
 * Readers are groups of chips that read prompts of their own: replicas, ranks of experts, and attention by sequences (data-parallel attention).
 * Each takes prompts together as long as its part of a pass has at most 8192 tokens, beyond which matmuls get no more efficient, and it has
 * a limit of its own at every server. Sources: vllm-project/vllm, docs/serving/data_parallel_deployment.md (each data rank is an engine core
 * with a scheduler of its own, so that --max-num-batched-tokens is of a rank); sgl-project/sglang, python/sglang/srt/server_args.py
 * (_handle_data_parallelism: chunked_prefill_size // dp_size is that of a rank); NVIDIA/TensorRT-LLM (max_num_tokens is of a rank under
 * enable_attention_dp).
 *
 * A part of a prompt is whole pages of a cache, so that the tokens of a step are: SGLang asserts it (the same file, check_server_args), and
 * TensorRT-LLM cuts prompts at blocks. Servers' pages have 64 positions or a divisor of these, and 256 where positions are pooled.
 */
import type { CompiledLayout, Offered } from '../../inference/layout/compiled-layout.ts'
import type { Demand } from '../../inference/meshes.ts'
import type { Transformer } from '../../model/transformer.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import { sequenceGroups } from '../../sharding/tables/inference-layout-fields.ts'

/** Of new tokens that a reader takes in one pass. */
export const mostTokens = 8192

/** Positions that are whole pages at every server. */
export function pagePositions({ attention }: Pick<Transformer, 'attention'>): number {
  return attention.compressed ? 256 : 64
}

/**
 * Numbers of prompts of so many new positions that a mesh may take together, in one of the layouts: powers of two, all of them for one reader,
 * or as many for each.
 */
export function promptsTogether(
  offers: readonly Offered[],
  mesh: Mesh,
  positions: number,
): readonly number[] {
  const layouts = offers.flatMap((offered) => offered.flat())
  const readers = new Set([1, ...layouts.flatMap((layout) => readersOf(layout, mesh) ?? [])])
  const powers = Array.from(
    { length: Math.floor(Math.log2(mostOfReader(positions))) + 1 },
    (_, at) => 2 ** at,
  )
  return [...new Set([...readers].flatMap((count) => powers.map((each) => count * each)))].sort(
    (a, b) => a - b,
  )
}

/** What is left of the offers where readers take no more prompts than that. */
export function readableOffers(
  offers: readonly Offered[],
  mesh: Mesh,
  { sequences, positions }: Demand,
): readonly Offered[] {
  const most = mostOfReader(positions)
  const isOver = (layout: CompiledLayout) =>
    (sequences ?? 1) > most * (readersOf(layout, mesh) ?? Number.POSITIVE_INFINITY)
  if (!offers.some((offered) => offered.flat().some(isOver))) return offers
  return offers
    .map((offered) => offered.map((options) => options.filter((layout) => !isOver(layout))))
    .filter((offered) => offered.every(({ length }) => length > 0))
}

function mostOfReader(positions: number): number {
  return Math.max(1, Math.floor(mostTokens / positions))
}

/** Readers of one instance whose components lie so. */
export function readersTogether(layouts: readonly CompiledLayout[], mesh: Mesh): number {
  return Math.max(1, ...layouts.flatMap((layout) => readersOf(layout, mesh) ?? []))
}

/** Null for a component without a cache: sequences are told apart by attention alone. */
function readersOf({ cache }: CompiledLayout, mesh: Mesh): number | null {
  return cache === null ? null : replicasOf(mesh) * sequenceGroups(cache, mesh)
}
