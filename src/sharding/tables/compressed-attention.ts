/**
 * Attention to a window and to pooled positions (DeepSeek-V4) under training layouts: queries come through a low rank, all heads meet one
 * head of keys that are values too, and groups of heads each have a low rank of results. Heads are sharded over tensor in whole groups; what they
 * share (keys, pools, the index) is whole on each tensor chip, as in DeepSeek's own and servers' code.
 *
 *   Q, Att  [B, T, N, n, H]   N groups of n heads
 *   K       [B, T, H]         keys of the positions; what is pooled of them is met in their place, at the rate of the FLOPs (model/flops.ts)
 *   Pools   [B, T, C_s]       what positions are projected to before they are pooled, in sparse layers (that of the index beside it), and
 *   Heavy   [B, T, C_h]       in heavy ones; the vectors themselves, one for every m positions, are left out of what layers keep
 *   OutLow  [B, T, N, r_o]
 *
 * Source: model/compressed-attention.ts.
 */
import { table, weights } from '../array.ts'
import type { Component, Einsum } from '../component.ts'

const here = 'B_RXE T_C'
const heads = 'N:Og_YZ n:On H'

/** Pools and the index, in the share of the layers that has each. */
export const pooledEinsums: readonly Einsum[] = [
  { out: 'Pools', left: 'In', right: 'W_PS', kind: 'matmul' },
  { out: 'Heavy', left: 'In', right: 'W_PH', kind: 'matmul' },
  { out: 'IndexK', left: 'Pools', right: 'Pools', kind: 'elementwise' },
]

const einsums: readonly Einsum[] = [
  { out: 'QLow', left: 'In', right: 'W_DQ', kind: 'matmul' },
  { out: 'Q', left: 'QLow', right: 'W_UQ', kind: 'matmul' },
  { out: 'K', left: 'In', right: 'W_KV', kind: 'matmul' },
  ...pooledEinsums,
  { out: 'IndexQ', left: 'QLow', right: 'W_IQ', kind: 'matmul' },
  { out: 'IndexGate', left: 'In', right: 'W_IG', kind: 'matmul' },
  { out: 'IndexScores', left: 'IndexQ', right: 'IndexK', kind: 'attention', keys: true },
  { out: 'Scores', left: 'Q', right: 'K', kind: 'attention', keys: true },
  { out: 'Att', left: 'Scores', right: 'K', kind: 'attention', keys: true },
  { out: 'OutLow', left: 'Att', right: 'W_OA', kind: 'matmul' },
  { out: 'Out', left: 'OutLow', right: 'W_OB', kind: 'matmul' },
]

export function compressedAttention(stream: string): Component {
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        In: stream,
        QLow: `${here} q:Rq`,
        Q: `${here} ${heads}`,
        K: `${here} H`,
        Pools: `${here} H:Cs s:Si`,
        Heavy: `${here} H:Ch s:Sh`,
        IndexQ: `${here} i:I H:Hi s:Si`,
        IndexK: `${here} H:Hi s:Si`,
        IndexGate: `${here} i:I s:Si`,
        Att: `${here} ${heads}`,
        OutLow: `${here} N:Og_YZ r:Or`,
        Out: stream,
      }),
      ...table('scores', { Scores: `${here} S:T N:Og_YZ n:On`, IndexScores: `${here} S:T i:I s:Si` }),
      ...weights('attention', {
        ...{ W_DQ: 'D_Z q:Rq', W_UQ: 'q:Rq N:Og_Y n:On H', W_KV: 'D_Z H' },
        ...{ W_PS: 'D_Z H:Cs s:Si', W_PH: 'D_Z H:Ch s:Sh' },
        ...{ W_IQ: 'q:Rq i:I H:Hi s:Si', W_IG: 'D_Z i:I s:Si' },
        ...{ W_OA: 'N:Og_Y n:On H r:Or', W_OB: 'N:Og_Y r:Or D_Z' },
      }),
    },
    einsums,
  }
}
