/**
 * Multi-head latent attention (DeepSeek-V2) under training layouts, not absorbed: queries come through a low rank where the model
 * has one, keys and values of all heads are projected up from one latent vector per token. Heads are sharded over tensor; each of its
 * chips computes the low ranks, as in Megatron.
 *
 *   KVLow  [B, T, L]       L = r_kv + H_r: the latent vector, and the rotary key that the heads share
 *   K, V   [B, T, N, H]    H_k = H_n + H_r and H_v
 *
 *   IndexK [B, T, H_i]     of an index of positions: it is whole on every tensor chip, as in Megatron, and its keys are gathered over context
 *
 * Source: DeepSeek-V2 (arXiv 2405.04434), section 2.1; of the index, model/position-index.ts.
 */

import type { Transformer } from '../../model/transformer.ts'
import { shardedArray, weights } from '../array.ts'
import type { Component, Einsum } from '../component.ts'
import { contextLayoutRow } from './context-layout.ts'
import type { ContextLayout } from './context-layouts.ts'

const queryWeights = {
  low: { W_DQ: 'D_Z q:Rq', W_UQ: 'q:Rq N_Y H:Hk' },
  direct: { W_Q: 'D_Z N_Y H:Hk' },
}

/** What a model has of the parts that not all latent attention has. */
export interface LatentParts {
  readonly lowRank: boolean
  readonly index: boolean
}

export function latentParts(
  { queryRank }: NonNullable<Attention['latent']>,
  index: Attention['index'],
): LatentParts {
  return { lowRank: queryRank !== null, index: index !== null }
}

type Attention = Transformer['attention']

const indexArrays = {
  activations: {
    IndexQ: 'B_RXE T_C N:I H:Hi s:Si',
    IndexK: 'B_RXE T_C H:Hi s:Si',
    IndexGate: 'B_RXE T_C N:I s:Si',
  },
  weights: { W_IQ: 'q:Rq N:I H:Hi s:Si', W_IK: 'D_Z H:Hi s:Si', W_IG: 'D_Z N:I s:Si' },
  scores: 'B_RXE T_C S:T N:I s:Si',
}

const indexEinsums: readonly Einsum[] = [
  { out: 'IndexQ', left: 'QLow', right: 'W_IQ', kind: 'matmul' },
  { out: 'IndexK', left: 'In', right: 'W_IK', kind: 'matmul' },
  { out: 'IndexGate', left: 'In', right: 'W_IG', kind: 'matmul' },
  { out: 'IndexScores', left: 'IndexQ', right: 'IndexK', kind: 'attention', keys: true },
]

export function latentAttention(
  stream: string,
  { lowRank, index }: LatentParts,
  layout: ContextLayout,
): Component {
  const inner = contextLayoutRow(layout).arrays({ query: 'H:Hk', key: 'N_YZ H:Hk', value: 'H:Hv' })
  const { query, key, value } = inner.projected
  const activations = {
    In: stream,
    ...(lowRank ? { QLow: 'B_RXE T_C q:Rq' } : {}),
    KVLow: 'B_RXE T_C l:L',
    ...inner.activations,
    ...(index ? indexArrays.activations : {}),
    Out: stream,
  }
  const ownWeights = {
    ...(lowRank ? queryWeights.low : queryWeights.direct),
    W_DKV: 'D_Z l:L',
    W_UK: 'l:Rkv N_Y H:Hn',
    W_UV: 'l:Rkv N_Y H:Hv',
    W_O: 'N_Y H:Hv D_Z',
    ...(index ? indexArrays.weights : {}),
  }
  const queries: readonly Einsum[] = lowRank
    ? [
        { out: 'QLow', left: 'In', right: 'W_DQ', kind: 'matmul' },
        { out: query, left: 'QLow', right: 'W_UQ', kind: 'matmul' },
      ]
    : [{ out: query, left: 'In', right: 'W_Q', kind: 'matmul' }]
  const arrays = [
    ...Object.entries(activations).map(([name, notation]) => shardedArray(name, 'activation', notation)),
    ...Object.entries(inner.keys).map(([name, notation]) => shardedArray(name, inner.keysKind, notation)),
    ...Object.values(weights('attention', ownWeights)),
    shardedArray('Scores', 'scores', inner.scores),
    ...(index ? [shardedArray('IndexScores', 'scores', indexArrays.scores)] : []),
  ]
  return {
    name: 'attention',
    arrays: Object.fromEntries(arrays.map((array) => [array.name, array])),
    einsums: [
      ...queries,
      { out: 'KVLow', left: 'In', right: 'W_DKV', kind: 'matmul' },
      { out: key, left: 'KVLow', right: 'W_UK', kind: 'matmul' },
      { out: value, left: 'KVLow', right: 'W_UV', kind: 'matmul' },
      ...(index ? indexEinsums : []),
      ...inner.einsums,
      { out: 'Out', left: 'Att', right: 'W_O', kind: 'matmul' },
    ],
  }
}
