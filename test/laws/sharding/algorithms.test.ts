/** The book's layouts, derived and printed line by line. */
import { describe, expect, it } from 'vitest'
import type { Component } from '../../../src/sharding/component.ts'
import { movesOf } from '../../../src/sharding/derive.ts'
import type { Pass } from '../../../src/sharding/move.ts'
import { attention, embedding, mlp, unembedding } from '../../../src/sharding/tables/training-layout.ts'
import { layerComponents } from '../../rules-of-thumb.ts'
import {
  algorithm,
  block,
  dp,
  fsdp,
  layout,
  mixed,
  palm,
  tensor,
  terms,
  weightStationary,
} from './strategies.ts'

describe('the layouts of the book, derived', () => {
  it('data parallelism reduces the weight gradients, and moves nothing forwards', () => {
    expect(terms(dp, 'forward')).toBe('')
    expect(terms(dp, 'backward')).toBe('AR_R(dW_out) AR_R(dW_in)')
  })

  it('FSDP gathers weights in both passes and scatters their gradients', () => {
    expect(terms(fsdp, 'forward')).toBe('AG_X(W_in) AG_X(W_out)')
    expect(terms(fsdp, 'backward')).toBe('AG_X(W_out) RS_X(dW_out) AG_X(W_in) RS_X(dW_in)')
    expect(terms(fsdp, 'step')).toBe('')
  })

  it('tensor parallelism gathers the input and scatters the output, in either direction', () => {
    expect(terms(tensor, 'forward')).toBe('AG_Y(In) RS_Y(Out)')
    expect(terms(tensor, 'backward')).toBe('AG_Y(dOut) RS_Y(dIn)')
  })

  it('tensor parallelism that does not keep the gathered input gathers it again', () => {
    const again = layout(block, ['tensor'], 0, true)
    expect(terms(again, 'forward')).toBe('AG_Y(In) RS_Y(Out)')
    expect(terms(again, 'backward').split(' ').sort()).toEqual(['AG_Y(In)', 'AG_Y(dOut)', 'RS_Y(dIn)'])
  })

  it.each<Pass>([
    'forward',
    'backward',
  ])('FSDP with tensor parallelism moves the union of both, %s', (pass) => {
    const union = [...terms(fsdp, pass).split(' '), ...terms(tensor, pass).split(' ')]
    expect(terms(mixed, pass).split(' ').sort()).toEqual(union.sort())
  })

  it('2D weight-stationary gathers In over one axis, reduces Tmp over the other and scatters Out', () => {
    const forward = layout(weightStationary, ['tensor', 'tensor2'], 0)
    expect(terms(forward, 'forward')).toBe('AG_Y(In) AR_Z(Tmp) RS_Y(Out)')
  })

  it('2D tensor parallelism for training reduces Tmp as a scatter that is kept and a gather', () => {
    const forward = layout(block, ['tensor', 'tensor2'], 0)
    expect(terms(forward, 'forward')).toBe('AG_Y(In) RS_Z(Tmp) AG_Z(Tmp) RS_Y(Out)')
  })

  it('ZeRO-1 scatters gradients and gathers weights, once a step', () => {
    const zero1 = layout(block, ['data'], 1)
    expect(terms(zero1, 'forward')).toBe('')
    expect(terms(zero1, 'backward', 'microbatch')).toBe('')
    expect(terms(zero1, 'backward', 'step')).toBe('RS_R(dW_out) RS_R(dW_in)')
    expect(terms(zero1, 'step', 'step').split(' ').sort()).toEqual(['AG_R(W_in)', 'AG_R(W_out)'])
  })

  it('ZeRO-2 scatters gradients with every microbatch', () => {
    const zero2 = layout(block, ['data'], 2)
    expect(terms(zero2, 'backward', 'microbatch')).toBe('RS_R(dW_out) RS_R(dW_in)')
    expect(terms(zero2, 'backward', 'step')).toBe('')
    expect(terms(zero2, 'step', 'step').split(' ').sort()).toEqual(['AG_R(W_in)', 'AG_R(W_out)'])
  })

  it('HSDP reduces the sharded gradients over the copies, once a step', () => {
    const hsdp = layout(block, ['data', 'fsdp'], 3)
    expect(terms(hsdp, 'backward', 'microbatch')).toBe('AG_X(W_out) RS_X(dW_out) AG_X(W_in) RS_X(dW_in)')
    expect(terms(hsdp, 'backward', 'step')).toBe('AR_R(dW_out) AR_R(dW_in)')
    const reduced = movesOf(hsdp).filter(({ operation }) => operation === 'AllReduce')
    expect(reduced.map(({ from }) => from)).toEqual(['dW_out[F, D_X]{U_R}', 'dW_in[D_X, F]{U_R}'])
  })

  it('context parallelism gathers keys and values, and scatters their gradients', () => {
    const ring = layout(attention('feature'), ['context'], 0)
    expect(terms(ring, 'forward')).toBe('AG_C(K) AG_C(V)')
    expect(terms(ring, 'backward', 'microbatch')).toBe('RS_C(dV) RS_C(dK)')
    expect(terms(ring, 'backward', 'step')).toBe('AR_C(dW_O) AR_C(dW_V) AR_C(dW_K) AR_C(dW_Q)')
  })

  it('context parallelism leaves the MLP alone but for its gradients', () => {
    const ring = layout(block, ['context'], 0)
    expect(terms(ring, 'forward')).toBe('')
    expect(terms(ring, 'backward')).toBe('AR_C(dW_out) AR_C(dW_in)')
  })

  it('tensor parallel attention moves its input and its output, once each', () => {
    const heads = layout(attention('sequence'), ['tensor'], 0)
    expect(terms(heads, 'forward')).toBe('AG_Y(In) RS_Y(Out)')
    expect(terms(heads, 'backward')).toBe('AG_Y(dOut) RS_Y(dIn)')
  })

  it('a stream that every tensor rank has whole is summed over all of them, once a pass', () => {
    const heads = layout(attention('whole'), ['tensor'], 0)
    expect(terms(heads, 'forward')).toBe('AR_Y(Out)')
    expect(terms(heads, 'backward', 'microbatch')).toBe('AR_Y(dIn)')
    expect(terms(layout(mlp('whole', true), ['tensor'], 0), 'forward')).toBe('AR_Y(Out)')
    expect(terms(layout(unembedding('whole'), ['tensor'], 0), 'forward')).toBe('')
  })

  it('the embedding scatters its partial rows, the unembedding gathers the stream', () => {
    expect(terms(layout(embedding('sequence'), ['tensor'], 0), 'forward')).toBe('RS_Y(Out)')
    expect(terms(layout(unembedding('sequence'), ['tensor'], 0), 'forward')).toBe('AG_Y(In)')
  })

  it('a parallel block gathers its one input and scatters its one output', () => {
    const [both] = layerComponents(palm, 'sequence')
    const heads = layout(both as Component, ['tensor'], 0)
    expect(terms(heads, 'forward')).toBe('AG_Y(In) RS_Y(Out)')
    expect(terms(heads, 'backward')).toBe('AG_Y(dOut) RS_Y(dIn)')
  })
})

describe('the printed algorithm', () => {
  it("of FSDP with tensor parallelism is the book's, line by line", () => {
    expect(algorithm(mixed)).toMatchInlineSnapshot(`
      "
      In[B_X, D] = AllGather_Y(In[B_X, D_Y])
      W_in[D, F_Y] = AllGather_X(W_in[D_X, F_Y])
      Tmp[B_X, F_Y] = In[B_X, D] * W_in[D, F_Y]
      W_out[F_Y, D] = AllGather_X(W_out[F_Y, D_X])
      Out[B_X, D]{U_Y} = Tmp[B_X, F_Y] * W_out[F_Y, D]
      Out[B_X, D_Y] = ReduceScatter_Y(Out[B_X, D]{U_Y})
      dOut[B_X, D] = AllGather_Y(dOut[B_X, D_Y])
      W_out[F_Y, D] = AllGather_X(W_out[F_Y, D_X])
      dTmp[B_X, F_Y] = dOut[B_X, D] * W_out[F_Y, D]
      dW_out[F_Y, D]{U_X} = dOut[B_X, D] * Tmp[B_X, F_Y]
      dW_out[F_Y, D_X] = ReduceScatter_X(dW_out[F_Y, D]{U_X})
      W_in[D, F_Y] = AllGather_X(W_in[D_X, F_Y])
      dIn[B_X, D]{U_Y} = dTmp[B_X, F_Y] * W_in[D, F_Y]
      dIn[B_X, D_Y] = ReduceScatter_Y(dIn[B_X, D]{U_Y})
      dW_in[D, F_Y]{U_X} = dTmp[B_X, F_Y] * In[B_X, D]
      dW_in[D_X, F_Y] = ReduceScatter_X(dW_in[D, F_Y]{U_X})
      "
    `)
  })

  it('of data parallelism', () => {
    expect(algorithm(dp)).toMatchInlineSnapshot(`
      "
      Tmp[B_R, F] = In[B_R, D] * W_in[D, F]
      Out[B_R, D] = Tmp[B_R, F] * W_out[F, D]
      dTmp[B_R, F] = dOut[B_R, D] * W_out[F, D]
      dW_out[F, D]{U_R} = dOut[B_R, D] * Tmp[B_R, F]
      dW_out[F, D] = AllReduce_R(dW_out[F, D]{U_R})
      dIn[B_R, D] = dTmp[B_R, F] * W_in[D, F]
      dW_in[D, F]{U_R} = dTmp[B_R, F] * In[B_R, D]
      dW_in[D, F] = AllReduce_R(dW_in[D, F]{U_R})
      "
    `)
  })

  it('of 2D weight-stationary', () => {
    const forward = layout(weightStationary, ['tensor', 'tensor2'], 0)
    expect(algorithm(forward)).toMatchInlineSnapshot(`
      "
      In[B, D_Z] = AllGather_Y(In[B, D_ZY])
      Tmp[B, F_Y]{U_Z} = In[B, D_Z] * W_in[D_Z, F_Y]
      Tmp[B, F_Y] = AllReduce_Z(Tmp[B, F_Y]{U_Z})
      Out[B, D_Z]{U_Y} = Tmp[B, F_Y] * W_out[F_Y, D_Z]
      Out[B, D_ZY] = ReduceScatter_Y(Out[B, D_Z]{U_Y})
      dOut[B, D_Z] = AllGather_Y(dOut[B, D_ZY])
      dTmp[B, F_Y]{U_Z} = dOut[B, D_Z] * W_out[F_Y, D_Z]
      dTmp[B, F_Y] = AllReduce_Z(dTmp[B, F_Y]{U_Z})
      dW_out[F_Y, D_Z] = dOut[B, D_Z] * Tmp[B, F_Y]
      dIn[B, D_Z]{U_Y} = dTmp[B, F_Y] * W_in[D_Z, F_Y]
      dIn[B, D_ZY] = ReduceScatter_Y(dIn[B, D_Z]{U_Y})
      dW_in[D_Z, F_Y] = dTmp[B, F_Y] * In[B, D_Z]
      "
    `)
  })

  it('of attention with tensor and context parallelism', () => {
    expect(algorithm(layout(attention('sequence'), ['tensor', 'context'], 0))).toMatchInlineSnapshot(`
      "
      In[B, T_C, D] = AllGather_Y(In[B, T_CY, D])
      Q[B, T_C, N_Y, H] = In[B, T_C, D] * W_Q[D, N_Y, H]
      K[B, T_C, K_Y, H] = In[B, T_C, D] * W_K[D, K_Y, H]
      V[B, T_C, K_Y, H] = In[B, T_C, D] * W_V[D, K_Y, H]
      K[B, T, K_Y, H] = AllGather_C(K[B, T_C, K_Y, H])
      Scores[B, T_C, T, N_Y] = Q[B, T_C, N_Y, H] * K[B, T, K_Y, H]
      V[B, T, K_Y, H] = AllGather_C(V[B, T_C, K_Y, H])
      Att[B, T_C, N_Y, H] = Scores[B, T_C, T, N_Y] * V[B, T, K_Y, H]
      Out[B, T_C, D]{U_Y} = Att[B, T_C, N_Y, H] * W_O[N_Y, H, D]
      Out[B, T_CY, D] = ReduceScatter_Y(Out[B, T_C, D]{U_Y})
      dOut[B, T_C, D] = AllGather_Y(dOut[B, T_CY, D])
      dAtt[B, T_C, N_Y, H] = dOut[B, T_C, D] * W_O[N_Y, H, D]
      dW_O[N_Y, H, D]{U_C} = dOut[B, T_C, D] * Att[B, T_C, N_Y, H]
      dW_O[N_Y, H, D] = AllReduce_C(dW_O[N_Y, H, D]{U_C})
      dScores[B, T_C, T, N_Y] = dAtt[B, T_C, N_Y, H] * V[B, T, K_Y, H]
      dV[B, T, K_Y, H]{U_C} = dAtt[B, T_C, N_Y, H] * Scores[B, T_C, T, N_Y]
      dV[B, T_C, K_Y, H] = ReduceScatter_C(dV[B, T, K_Y, H]{U_C})
      dQ[B, T_C, N_Y, H] = dScores[B, T_C, T, N_Y] * K[B, T, K_Y, H]
      dK[B, T, K_Y, H]{U_C} = dScores[B, T_C, T, N_Y] * Q[B, T_C, N_Y, H]
      dK[B, T_C, K_Y, H] = ReduceScatter_C(dK[B, T, K_Y, H]{U_C})
      dIn[B, T_C, D]{U_Y} = dV[B, T_C, K_Y, H] * W_V[D, K_Y, H]
      dW_V[D, K_Y, H]{U_C} = dV[B, T_C, K_Y, H] * In[B, T_C, D]
      dW_V[D, K_Y, H] = AllReduce_C(dW_V[D, K_Y, H]{U_C})
      dIn[B, T_C, D]{U_Y} = dK[B, T_C, K_Y, H] * W_K[D, K_Y, H]
      dW_K[D, K_Y, H]{U_C} = dK[B, T_C, K_Y, H] * In[B, T_C, D]
      dW_K[D, K_Y, H] = AllReduce_C(dW_K[D, K_Y, H]{U_C})
      dIn[B, T_C, D]{U_Y} = dQ[B, T_C, N_Y, H] * W_Q[D, N_Y, H]
      dIn[B, T_CY, D] = ReduceScatter_Y(dIn[B, T_C, D]{U_Y})
      dW_Q[D, N_Y, H]{U_C} = dQ[B, T_C, N_Y, H] * In[B, T_C, D]
      dW_Q[D, N_Y, H] = AllReduce_C(dW_Q[D, N_Y, H]{U_C})
      "
    `)
  })
})
