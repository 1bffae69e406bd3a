/**
 * Attention to a window and to pooled positions (DeepSeek-V4) under inference layouts. The cache holds one vector of width H for each position of
 * the window and for every m positions before, for all heads: a cache sharded by heads is whole on every tensor chip. The kernel reads
 * it once, as values are the same vectors as keys (`View`). The index scores vectors of its own, of which there are fewer (X).
 *
 * Sources: model/compressed-attention.ts; vLLM, docs api/vllm/models/deepseek_v4 (compressor: what makes keys is whole on each tensor rank).
 */
import { table, weights } from '../array.ts'
import type { Component, Einsum } from '../component.ts'
import { pooledEinsums } from './compressed-attention.ts'
import { type CacheLayout, caches, type ProjectionLayout, projections } from './inference-sharding.ts'

const einsums: readonly Einsum[] = [
  { out: 'QLow', left: 'In', right: 'W_DQ', kind: 'matmul' },
  { out: 'Q', left: 'QLow', right: 'W_UQ', kind: 'matmul' },
  { out: 'K', left: 'In', right: 'W_KV', kind: 'matmul' },
  ...pooledEinsums,
  { out: 'NewLatent', left: 'K', right: 'K', kind: 'reshard' },
  { out: 'NewIndex', left: 'IndexK', right: 'IndexK', kind: 'reshard' },
  { out: 'IndexQ', left: 'QLow', right: 'W_IQ', kind: 'matmul' },
  { out: 'IndexGate', left: 'In', right: 'W_IG', kind: 'matmul' },
  { out: 'IndexQuery', left: 'IndexQ', right: 'IndexQ', kind: 'reshard' },
  { out: 'IndexScores', left: 'IndexQuery', right: 'Index', kind: 'attention' },
  { out: 'Query', left: 'Q', right: 'Q', kind: 'reshard' },
  { out: 'Scores', left: 'Query', right: 'Latent', kind: 'attention' },
  { out: 'Result', left: 'Scores', right: 'View', kind: 'attention' },
  { out: 'Att', left: 'Result', right: 'Result', kind: 'reshard' },
  { out: 'OutLow', left: 'Att', right: 'W_OA', kind: 'matmul' },
  { out: 'Out', left: 'OutLow', right: 'W_OB', kind: 'matmul' },
]

export function inferenceCompressedAttention(projection: ProjectionLayout, layout: CacheLayout): Component {
  const lies = projections[projection]
  const { rest, tokens, stream, weightD, weightInner, inner, rank, weightRank, latentHeads } = lies
  const { sequences, heads, positions, scored, resultHeads } = caches[layout]
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        ...{ In: `${rest} ${stream}`, Out: `${rest} ${stream}` },
        ...{ QLow: `${tokens} q:Rq${rank}`, Q: `${tokens} N:Og${inner} n:On H`, K: `${tokens} H` },
        ...{ Pools: `${tokens} H:Cs s:Si`, Heavy: `${tokens} H:Ch s:Sh` },
        ...{ IndexK: `${tokens} H:Hi s:Si`, NewIndex: `${sequences} T_C H:Hi s:Si` },
        ...{ IndexQ: `${tokens} i:I H:Hi s:Si`, IndexQuery: `${sequences} T_C i:I H:Hi s:Si` },
        IndexGate: `${tokens} i:I s:Si`,
        NewLatent: `${sequences} T_C H`,
        Query: `${sequences} T_C N:Og${heads} n:On H`,
        Result: `${sequences} T_C N:Og${resultHeads} n:On H`,
        Att: `${tokens} N:Og${inner} n:On H`,
        OutLow: `${tokens} N:Og${inner} r:Or`,
      }),
      ...table('cache', {
        Latent: `${sequences} ${positions} H`,
        Index: `${sequences} ${ofIndex(positions)} H:Hi s:Si`,
      }),
      ...table('scores', {
        Scores: `${sequences} T_C ${scored} N:Og${heads} n:On`,
        View: `${sequences} ${scored} H`,
        IndexScores: `${sequences} T_C ${ofIndex(scored)} i:I s:Si`,
      }),
      ...weights('attention', {
        ...{ W_DQ: `${weightD} q:Rq`, W_UQ: `q:Rq${weightRank} N:Og${weightInner} n:On H` },
        ...{ W_KV: `${weightD} H`, W_PS: `${weightD} H:Cs s:Si`, W_PH: `${weightD} H:Ch s:Sh` },
        ...{ W_IQ: `q:Rq${weightRank} i:I H:Hi s:Si`, W_IG: `${weightD} i:I s:Si` },
        ...{ W_OA: `N:Og${latentHeads} n:On H r:Or`, W_OB: `N:Og${weightInner} r:Or ${weightD}` },
      }),
    },
    einsums,
  }
}

/** Positions of the index's own vectors. */
function ofIndex(positions: string): string {
  return positions.replace('S', 'S:X')
}
