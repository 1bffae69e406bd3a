import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transformer } from '../../../src/model/architecture.ts'
import { type ShardedArray, shardedArray } from '../../../src/sharding/array.ts'
import { type Axis, axes, axisBit, axisSet, axisSets, type Mesh } from '../../../src/sharding/axis.ts'
import { type Component, restricted, weightsOf } from '../../../src/sharding/component.ts'
import { type Derivation, derive, movesOf, productsOf } from '../../../src/sharding/derive.ts'
import type { Monomial } from '../../../src/sharding/monomial.ts'
import { type Move, moveNotation, type Pass, reshard } from '../../../src/sharding/move.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { attention, embedding, mlp, unembedding } from '../../../src/sharding/tables/training-layout.ts'
import { law } from '../../law.ts'
import { layerComponents } from '../../rules-of-thumb.ts'

const letters = 'data:R fsdp:X tensor:Y tensor2:Z context:C'.split(' ').map((word) => word.split(':'))
const letter = (axis: Axis) => letters.find(([name]) => name === axis)?.[1] ?? '?'
const short = { AllGather: 'AG', ReduceScatter: 'RS', AllReduce: 'AR', AllToAll: 'A2A' }

/** `AG_X(W_in)`: the book's way to say what moves. */
function terms(derivation: Derivation, pass: Pass, every?: Move['every']): string {
  return movesOf(derivation)
    .filter((move) => move.pass === pass && (every === undefined || move.every === every))
    .map(({ operation, over, array }) => `${short[operation]}_${over.map(letter).join('')}(${array})`)
    .join(' ')
}

/** The lines of one pass, as printed. */
function algorithm(derivation: Derivation): string {
  const lines = derivation.lines.map((line) =>
    line.kind === 'move' ? moveNotation(line.move) : line.product.notation,
  )
  return `\n${lines.join('\n')}\n`
}

function layout(
  component: Component,
  active: readonly Axis[],
  zeroStage: ZeroStage,
  regatherActivations = false,
): Derivation {
  return derive(restricted(component, active), { zeroStage, active, regatherActivations })
}

/** The book's two matrices, residual along D. */
const block = mlp('feature', false)
const dp = layout(block, ['data'], 0)
const fsdp = layout(block, ['fsdp'], 3)
const tensor = layout(block, ['tensor'], 0)
const mixed = layout(block, ['fsdp', 'tensor'], 3)

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

const sizes = { B: 3, T: 512, D: 1024, F: 4096, N: 16, K: 4, H: 64, V: 32_000 }
const tokens = sizes.B * sizes.T
const { D, F } = sizes

/** Bytes in bf16 that one group sees, an AllReduce counted twice. */
function bytes(derivation: Derivation, pass: Pass, mesh: Partial<Mesh>): number {
  return movesOf(derivation)
    .filter((move) => move.pass === pass)
    .reduce(
      (sum, { operation, elements }) => sum + (operation === 'AllReduce' ? 4 : 2) * valueAt(elements, mesh),
      0,
    )
}

function valueAt({ coefficient, extents, divide }: Monomial, mesh: Partial<Mesh>): number {
  const extent = extents.reduce(
    (product, name) => product * (sizes[name as keyof typeof sizes] ?? Number.NaN),
    1,
  )
  const shards = axes.reduce(
    (product, axis) => (divide & axisBit[axis] ? product * (mesh[axis] ?? 1) : product),
    1,
  )
  return (coefficient * extent) / shards
}

describe('the bytes of the book', () => {
  const [X, Y] = [8, 4]

  it('data parallelism: nothing forwards, 8DF backwards', () => {
    expect(bytes(dp, 'forward', { data: X })).toBe(0)
    expect(bytes(dp, 'backward', { data: X })).toBe(8 * D * F)
  })

  it('FSDP: 4DF forwards, 8DF backwards', () => {
    expect(bytes(fsdp, 'forward', { fsdp: X })).toBe(4 * D * F)
    expect(bytes(fsdp, 'backward', { fsdp: X })).toBe(8 * D * F)
  })

  it('tensor parallelism: 4BD forwards and backwards, 2BD more where In is gathered again', () => {
    expect(bytes(tensor, 'forward', { tensor: Y })).toBe(4 * tokens * D)
    expect(bytes(tensor, 'backward', { tensor: Y })).toBe(4 * tokens * D)
    expect(bytes(layout(block, ['tensor'], 0, true), 'backward', { tensor: Y })).toBe(6 * tokens * D)
  })

  it('FSDP with tensor parallelism: 4BD/X + 4DF/Y forwards, 4BD/X + 8DF/Y backwards', () => {
    const mesh = { fsdp: X, tensor: Y }
    expect(bytes(mixed, 'forward', mesh)).toBe((4 * tokens * D) / X + (4 * D * F) / Y)
    expect(bytes(mixed, 'backward', mesh)).toBe((4 * tokens * D) / X + (8 * D * F) / Y)
    const again = layout(block, ['fsdp', 'tensor'], 3, true)
    expect(bytes(again, 'backward', mesh)).toBe((6 * tokens * D) / X + (8 * D * F) / Y)
  })

  it("2D weight-stationary: 2BD/X + 4BF/YZ + 2BD/X, with the book's X and YZ", () => {
    const forward = layout(weightStationary, ['tensor', 'tensor2'], 0)
    const mesh = { tensor2: X, tensor: Y }
    expect(bytes(forward, 'forward', mesh)).toBe(
      (2 * tokens * D) / X + (4 * tokens * F) / Y + (2 * tokens * D) / X,
    )
  })

  it('ZeRO-1 and ZeRO-2 move over a step what data parallelism does, 8DF', () => {
    for (const stage of [1, 2] as const) {
      const zero = layout(block, ['data'], stage)
      expect(bytes(zero, 'backward', { data: X }) + bytes(zero, 'step', { data: X })).toBe(8 * D * F)
    }
  })

  it('HSDP reduces a gradient that is divided over the shards', () => {
    const hsdp = layout(block, ['data', 'fsdp'], 3)
    const reduced = movesOf(hsdp).filter(({ operation }) => operation === 'AllReduce')
    expect(reduced.map(({ elements }) => valueAt(elements, { data: 4, fsdp: X }))).toEqual([
      (D * F) / X,
      (D * F) / X,
    ])
  })

  it('context parallelism: keys and values have K heads, not N', () => {
    const ring = layout(attention('feature'), ['context'], 0)
    expect(bytes(ring, 'forward', { context: X })).toBe(2 * 2 * tokens * sizes.K * sizes.H)
  })

  it.each<readonly Axis[]>([
    ['tensor'],
    ['fsdp', 'tensor'],
    ['tensor', 'tensor2'],
    ['context', 'tensor'],
    ['data', 'fsdp', 'tensor', 'tensor2', 'context'],
  ])('a residual along the sequence moves the same bytes as one along D (%s, %s, %s)', (...active) => {
    const mesh = { data: 2, fsdp: 4, tensor: 8, tensor2: 2, context: 4 }
    for (const part of [
      attention,
      embedding,
      unembedding,
      (residual: 'sequence' | 'feature') => mlp(residual, true),
    ]) {
      for (const pass of ['forward', 'backward', 'step'] as const) {
        const along = (residual: 'sequence' | 'feature') =>
          bytes(layout(part(residual), active.filter(Boolean), 3), pass, mesh)
        expect(along('sequence')).toBe(along('feature'))
      }
    }
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

const palm = transformer('palm', {
  layers: 2,
  dModel: 64,
  dFf: 256,
  heads: 4,
  kvHeads: 1,
  headDim: 16,
  vocab: 100,
  gatedMlp: true,
  tiedEmbeddings: true,
  parallelBlocks: true,
})

const components = fc
  .constantFrom<'sequence' | 'feature'>('sequence', 'feature')
  .chain((residual) =>
    fc.constantFrom<Component>(
      attention(residual),
      mlp(residual, true),
      mlp(residual, false),
      embedding(residual),
      unembedding(residual),
      ...layerComponents(palm, residual),
    ),
  )

const trainingAxes: readonly Axis[] = ['data', 'fsdp', 'tensor', 'tensor2', 'context', 'expert']
const stages = fc.constantFrom<ZeroStage>(0, 1, 2, 3)
const options = fc.record({ zeroStage: stages, regatherActivations: fc.boolean() })

describe('the general table', () => {
  law(
    'on a mesh where some axes are 1 moves what the smaller layout moves, term by term',
    100,
    [components, options, fc.subarray([...trainingAxes])],
    (component, how, active) => {
      const inactive = trainingAxes.filter((axis) => !active.includes(axis))
      const left = axisSets - 1 - axisSet(inactive)
      const general = movesOf(derive(component, how)).map((move) => ({
        ...pick(move),
        over: move.over.filter((axis) => active.includes(axis)),
        elements: { ...move.elements, divide: move.elements.divide & left },
      }))
      const special = movesOf(derive(restricted(component, active), { ...how, active })).map((move) => ({
        ...pick(move),
        over: move.over,
        elements: move.elements,
      }))
      expect(general.filter(({ over }) => over.length > 0)).toEqual(special)
    },
  )

  law('on a mesh of ones moves nothing', 100, [components, options], (component, how) => {
    expect(movesOf(derive(restricted(component, []), { ...how, active: [] }))).toEqual([])
  })

  law(
    'gathers a weight forwards exactly where it scatters the gradient backwards, under ZeRO-3',
    100,
    [components, fc.boolean(), fc.subarray([...trainingAxes])],
    (component, regatherActivations, active) => {
      const moves = movesOf(
        derive(restricted(component, active), { zeroStage: 3, active, regatherActivations }),
      )
      const gathers = moves.filter(
        ({ pass, kind, operation }) => pass === 'forward' && kind === 'weight' && operation === 'AllGather',
      )
      const scatters = moves.filter(
        ({ kind, operation }) => kind === 'gradient' && operation === 'ReduceScatter',
      )
      const shape = (prefix: string) => (move: Move) => ({
        array: `${prefix}${move.array}`,
        over: move.over,
        elements: move.elements,
      })
      expect(new Set(scatters.map(shape('')))).toEqual(new Set(gathers.map(shape('d'))))
      const sharded = active.some((axis) => axis === 'fsdp' || axis === 'context' || axis === 'expert')
      expect(gathers.length).toBe(sharded ? weightsOf(component).length : 0)
    },
  )

  law(
    "divides every product over every axis of the mesh: no chip does another's work",
    100,
    [components, options, fc.subarray([...trainingAxes])],
    (component, how, active) => {
      const products = productsOf(derive(restricted(component, active), { ...how, active }))
      for (const { flops } of products) expect(flops.divide).toBe(axisSet(active))
    },
  )

  law(
    'does the same products, in numerator, whatever the layout',
    100,
    [components, options, fc.subarray([...trainingAxes])],
    (component, how, active) => {
      const work = (derivation: Derivation) =>
        productsOf(derivation).map(({ pass, out, kind, flops }) => ({
          pass,
          out,
          kind,
          flops: { ...flops, divide: 0 },
        }))
      const sharded = derive(restricted(component, active), { ...how, active })
      expect(work(sharded)).toEqual(work(derive(restricted(component, []), { ...how, active: [] })))
    },
  )

  law('takes twice the FLOPs backwards', 100, [components, options], (component, how) => {
    const flops = (pass: Pass, kind: string) =>
      productsOf(derive(component, how))
        .filter((product) => product.pass === pass && product.kind === kind)
        .reduce((sum, product) => sum + valueAt(product.flops, {}), 0)
    expect(flops('backward', 'matmul')).toBe(2 * flops('forward', 'matmul'))
    expect(flops('backward', 'attention')).toBe(2 * flops('forward', 'attention'))
  })
})

describe('an array that moves between two declared shardings', () => {
  const when = { pass: 'forward', every: 'microbatch' } as const
  const words = (from: string, to: string) =>
    reshard(shardedArray('A', 'activation', from), shardedArray('A', 'activation', to), when).map(
      moveNotation,
    )

  it('gathers an axis that leaves', () => {
    expect(words('B_X D_Y', 'B_X D')).toEqual(['A[B_X, D] = AllGather_Y(A[B_X, D_Y])'])
  })

  it('takes an axis that appears as a free slice', () => {
    expect(words('B_X D', 'B_X D_Y')).toEqual([])
  })

  it('turns an axis that changes its dimension', () => {
    expect(words('B N_Y', 'B_Y N')).toEqual(['A[B_Y, N] = AllToAll_Y(A[B, N_Y])'])
  })
})

function pick({ operation, array, kind, pass, every }: Move) {
  return { operation, array, kind, pass, every }
}

/** D over tensor2, F over tensor, and Tmp whole over tensor2: weights stay, activations move (the book, chapter 7). */
const weightStationary: Component = {
  name: 'mlp',
  arrays: {
    ...arrays('activation', { In: 'B T D_ZY', Tmp: 'B T F_Y', Out: 'B T D_ZY' }),
    ...arrays('weight', { W_in: 'D_Z F_Y', W_out: 'F_Y D_Z' }),
  },
  einsums: block.einsums,
}

function arrays(kind: ShardedArray['kind'], notations: Record<string, string>): Record<string, ShardedArray> {
  return Object.fromEntries(
    Object.entries(notations).map(([name, notation]) => [name, shardedArray(name, kind, notation)]),
  )
}
