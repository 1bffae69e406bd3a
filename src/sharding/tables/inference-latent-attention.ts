/**
 * Multi-head latent attention (DeepSeek-V2) under inference layouts. The cache holds one vector of L = r_kv + H_r per
 * position for all heads; queries come through a low rank where the model has one.
 *
 *   absorbed     a head's query is projected into the latent space, and its result out of it, so that attention reads the cache
 *                as it is: 2·L + 2·r_kv FLOPs per head and position
 *   projected    keys and values of the positions are projected up from the cache, as trained: 2·H_k + 2·H_v per head and
 *                position, and once 2·r_kv·(H_n + H_v) for each head and position
 *
 * Decoding wants the first, long prefills the second; the search finds out which is faster. A cache sharded by heads is whole on
 * every tensor chip, as it has no heads to share out. When absorbed, the kernel reads the cache once: values are the same vectors
 * as keys (`View`). With an index of positions this form meets those that it chooses; the other meets all, as servers do in short prompts,
 * and has the index only for later. Projections between ranks and heads are sharded by heads. Sources: DeepSeek-V2 (arXiv 2405.04434), section 2.1;
 * vLLM's MLA backends, which choose alike.
 */
import { table, weights } from '../array.ts'
import type { Component, Einsum } from '../component.ts'
import type { LatentForm } from './inference-layout-fields.ts'
import {
  type Cache,
  type CacheLayout,
  caches,
  type Projection,
  type ProjectionLayout,
  projections,
} from './inference-sharding.ts'
import type { LatentParts } from './latent-attention.ts'

export function inferenceLatentAttention(
  projection: ProjectionLayout,
  layout: CacheLayout,
  form: LatentForm,
  { lowRank, index }: LatentParts,
): Component {
  const lies = projections[projection]
  const { rest, tokens, stream, weightD, weightInner, latentHeads } = lies
  const { sequences, positions } = caches[layout]
  const query = queries(lies, lowRank)
  const chosen = index ? indexOf(lies, caches[layout], form) : nothing
  const attended = form === 'absorbed' ? absorbed(lies, caches[layout]) : projected(lies, caches[layout])
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        In: `${rest} ${stream}`,
        KVLow: `${tokens} l:L`,
        NewLatent: `${sequences} T_C l:L`,
        Out: `${rest} ${stream}`,
      }),
      ...query.arrays,
      ...table('cache', { Latent: `${sequences} ${positions} l:L` }),
      ...weights('attention', {
        W_DKV: `${weightD} l:L`,
        W_UK: `l:Rkv N${latentHeads} H:Hn`,
        W_UV: `l:Rkv N${latentHeads} H:Hv`,
        W_O: `N${weightInner} H:Hv ${weightD}`,
      }),
      ...chosen.arrays,
      ...attended.arrays,
    },
    einsums: [
      ...query.einsums,
      { out: 'KVLow', left: 'In', right: 'W_DKV', kind: 'matmul' },
      { out: 'NewLatent', left: 'KVLow', right: 'KVLow', kind: 'reshard' },
      ...chosen.einsums,
      ...attended.einsums,
      { out: 'Out', left: 'Att', right: 'W_O', kind: 'matmul' },
    ],
  }
}

type Part = Pick<Component, 'arrays' | 'einsums'>

const nothing: Part = { arrays: {}, einsums: [] }

/** Its weights and its scores are whole on every tensor chip, as servers have them. */
function indexOf(
  { tokens, weightD, weightRank }: Projection,
  { sequences, positions, scored }: Cache,
  form: LatentForm,
): Part {
  const scores = form === 'absorbed'
  return {
    arrays: {
      ...table('activation', {
        IndexK: `${tokens} H:Hi s:Si`,
        NewIndex: `${sequences} T_C H:Hi s:Si`,
        ...(scores
          ? {
              IndexQ: `${tokens} N:I H:Hi s:Si`,
              IndexQuery: `${sequences} T_C N:I H:Hi s:Si`,
              IndexGate: `${tokens} N:I s:Si`,
            }
          : {}),
      }),
      ...table('cache', { Index: `${sequences} ${positions} H:Hi s:Si` }),
      ...(scores ? table('scores', { IndexScores: `${sequences} T_C ${scored} N:I s:Si` }) : {}),
      ...weights('attention', {
        W_IQ: `q:Rq${weightRank} N:I H:Hi s:Si`,
        W_IK: `${weightD} H:Hi s:Si`,
        W_IG: `${weightD} N:I s:Si`,
      }),
    },
    einsums: [
      { out: 'IndexK', left: 'In', right: 'W_IK', kind: 'matmul' },
      { out: 'NewIndex', left: 'IndexK', right: 'IndexK', kind: 'reshard' },
      ...(scores ? indexEinsums : []),
    ],
  }
}

const indexEinsums: readonly Einsum[] = [
  { out: 'IndexQ', left: 'QLow', right: 'W_IQ', kind: 'matmul' },
  { out: 'IndexGate', left: 'In', right: 'W_IG', kind: 'matmul' },
  { out: 'IndexQuery', left: 'IndexQ', right: 'IndexQ', kind: 'reshard' },
  { out: 'IndexScores', left: 'IndexQuery', right: 'Index', kind: 'attention' },
]

function queries(
  { tokens, weightD, weightInner, inner, rank, weightRank }: Projection,
  lowRank: boolean,
): Part {
  const heads = table('activation', { Q: `${tokens} N${inner} H:Hk` })
  if (!lowRank) {
    return {
      arrays: { ...heads, ...weights('attention', { W_Q: `${weightD} N${weightInner} H:Hk` }) },
      einsums: [{ out: 'Q', left: 'In', right: 'W_Q', kind: 'matmul' }],
    }
  }
  return {
    arrays: {
      ...heads,
      ...table('activation', { QLow: `${tokens} q:Rq${rank}` }),
      ...weights('attention', {
        W_DQ: `${weightD} q:Rq`,
        W_UQ: `q:Rq${weightRank} N${weightInner} H:Hk`,
      }),
    },
    einsums: [
      { out: 'QLow', left: 'In', right: 'W_DQ', kind: 'matmul' },
      { out: 'Q', left: 'QLow', right: 'W_UQ', kind: 'matmul' },
    ],
  }
}

const absorbedEinsums: readonly Einsum[] = [
  { out: 'LatentQ', left: 'Q', right: 'W_UK', kind: 'matmul' },
  { out: 'Query', left: 'LatentQ', right: 'LatentQ', kind: 'reshard' },
  { out: 'Scores', left: 'Query', right: 'Latent', kind: 'attention' },
  { out: 'Result', left: 'Scores', right: 'View', kind: 'attention' },
  { out: 'LatentAtt', left: 'Result', right: 'Result', kind: 'reshard' },
  { out: 'Att', left: 'LatentAtt', right: 'W_UV', kind: 'matmul' },
]

function absorbed({ tokens, inner }: Projection, { sequences, heads, scored, resultHeads }: Cache): Part {
  return {
    arrays: {
      ...table('activation', {
        LatentQ: `${tokens} N${inner} l:L`,
        Query: `${sequences} T_C N${heads} l:L`,
        Result: `${sequences} T_C N${resultHeads} l:Rkv`,
        LatentAtt: `${tokens} N${inner} l:Rkv`,
        Att: `${tokens} N${inner} H:Hv`,
      }),
      ...table('scores', {
        Scores: `${sequences} T_C ${scored} N${heads}`,
        View: `${sequences} ${scored} l:Rkv`,
      }),
    },
    einsums: absorbedEinsums,
  }
}

const projectedEinsums: readonly Einsum[] = [
  { out: 'Query', left: 'Q', right: 'Q', kind: 'reshard' },
  { out: 'Keys', left: 'Latent', right: 'W_UK', kind: 'matmul' },
  { out: 'Values', left: 'Latent', right: 'W_UV', kind: 'matmul' },
  { out: 'Scores', left: 'Query', right: 'Keys', kind: 'attention' },
  { out: 'Result', left: 'Scores', right: 'Values', kind: 'attention' },
  { out: 'Att', left: 'Result', right: 'Result', kind: 'reshard' },
]

/** Over context the latent vectors are gathered, not the keys and values that each chip then makes of them. */
function projected({ tokens, inner }: Projection, { sequences, heads, scored, resultHeads }: Cache): Part {
  return {
    arrays: {
      ...table('activation', {
        Query: `${sequences} T_C N${heads} H:Hk`,
        Keys: `${sequences} ${scored} N${heads} H:Hk`,
        Values: `${sequences} ${scored} N${heads} H:Hv`,
        Result: `${sequences} T_C N${resultHeads} H:Hv`,
        Att: `${tokens} N${inner} H:Hv`,
      }),
      ...table('scores', { Scores: `${sequences} T_C ${scored} N${heads}` }),
    },
    einsums: projectedEinsums,
  }
}
