/** What holds for every component on every set of axes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shardedArray } from '../../../src/sharding/array.ts'
import { type Axis, axisSet, axisSets } from '../../../src/sharding/axis.ts'
import { type Component, restricted, weightsOf } from '../../../src/sharding/component.ts'
import { type Derivation, derive, movesOf, productsOf } from '../../../src/sharding/derive.ts'
import { type Move, moveNotation, type Pass, reshard } from '../../../src/sharding/move.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { attention, embedding, mlp, unembedding } from '../../../src/sharding/tables/training-layout.ts'
import { law } from '../../law.ts'
import { layerComponents } from '../../rules-of-thumb.ts'
import { palm, pick, valueAt } from './strategies.ts'

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
