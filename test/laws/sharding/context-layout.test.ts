/** Gather, ring and Ulysses: what each moves, where each may be used, and how one is chosen. */

import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { createScale, setMesh, sumTerms } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { gatheredKeyTerms } from '../../../src/cost/memory/memory.ts'
import { recomputedArrays } from '../../../src/cost/memory/recomputation.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { wholeComposition } from '../../../src/model/composition.ts'
import { optimize } from '../../../src/optimize.ts'
import { policyRows } from '../../../src/recipe/policy.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { restricted } from '../../../src/sharding/component.ts'
import { derive, movesOf } from '../../../src/sharding/derive.ts'
import { numerator } from '../../../src/sharding/monomial.ts'
import { contextLayoutFits, contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import type { ContextLayout } from '../../../src/sharding/tables/context-layouts.ts'
import { latentAttention } from '../../../src/sharding/tables/latent-attention.ts'
import { attention, layerParts } from '../../../src/sharding/tables/training-layout.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'
import { search } from '../../search.ts'

const solver = javascriptLpSolver

const options = { chip: 'h100-sxm', chips: 16, batchTokens: 16 * 32768, sequenceLength: 32768, top: 5 }

const asked = problem({ ...options, model: 'llama-3-8b' })

function moves(layout: ContextLayout) {
  const component = restricted(attention('sequence', layout), ['context'])
  return movesOf(derive(component, { zeroStage: 0, active: ['context'], regatherActivations: false }))
    .filter(({ every }) => every === 'microbatch')
    .map(({ pass, operation, array }) => `${pass} ${operation} ${array}`)
}

describe('a layout of context', () => {
  it('gathers keys and values forwards, and scatters their gradients backwards', () => {
    const expected = [
      'forward AllGather K',
      'forward AllGather V',
      'backward ReduceScatter dV',
      'backward ReduceScatter dK',
    ]
    expect(moves('gather').filter((move) => !move.includes('backward AllGather'))).toEqual(expected)
  })

  it.each([
    'llama-3-8b',
    'deepseek-v3',
  ])('holds of %s the keys and values that it gathers, and their gradients', (model) => {
    const { model: transformer, precision, assumptions, workload } = problem({ ...options, model })
    const layer = layerParts(transformer, assumptions.residual, 'gather', wholeComposition(transformer))
    const extents = extentsOf(transformer, workload.sequenceLength)
    const gathered = layer.flatMap(({ component }) =>
      movesOf(
        derive(restricted(component, ['context']), {
          ...{ zeroStage: 0, active: ['context'], regatherActivations: false },
        }),
      ).filter(
        ({ pass, operation, every }) =>
          pass === 'forward' && operation === 'AllGather' && every === 'microbatch',
      ),
    )
    const elements = gathered.reduce((sum, { elements: own }) => sum + numerator(own, extents), 0)
    const { whole, own } = gatheredKeyTerms(layer, extents, precision)
    const scale = createScale()
    setMesh(scale, { ...unitMesh, context: 4 }, extents, padded)
    // Two bytes each of keys and values, and of their gradients.
    expect(sumTerms(whole, scale)).toBe(2 * 2 * elements)
    expect(sumTerms(own, scale)).toBe(sumTerms(whole, scale) / 4)
  })

  it('moves in a ring the bytes that it would gather, and waits for none of them', () => {
    const gathered = movesOf(derivation('gather'))
    const passed = movesOf(derivation('ring'))
    const sizes = (list: typeof passed) => list.map(({ operation, elements }) => ({ operation, elements }))
    expect(sizes(passed)).toEqual(sizes(gathered))
    expect(new Set(passed.filter(({ array }) => /^d?[KV]$/.test(array)).map(({ kind }) => kind))).toEqual(
      new Set(['passed']),
    )
  })

  it.each([
    2, 4, 16,
  ])('starts the rows of attention 3/4 of a time again for each further part of a ring of %d', (c) => {
    const { model, cluster, workload, assumptions } = asked
    const compute = (contextLayout: ContextLayout) => {
      const plan = { mesh: { ...unitMesh, data: 16 / c, context: c }, zeroStage: 1, contextLayout } as const
      const found = legal(evaluate(asked, { ...plan, rematerialization: 'none' }, solver))
      return found.plan.timeSeconds.compute
    }
    const positions = workload.batchTokens / 16
    // Two products forwards, and five backwards for four: two FLOPs each of a position, a key and an element of a head.
    const ofOneKey = (2 + (5 / 4) * 4) * 2 * model.layers * positions * model.heads * model.headDim
    const again = ((3 * (c - 1)) / 4) * assumptions.attentionHalfKeys * ofOneKey
    const rate =
      (cluster.chip.peakFlopsPerSecond.bf16 ?? 0) *
      assumptions.attentionEfficiency *
      assumptions.sustainedShare
    expect((compute('ring') - compute('gather')) / (again / rate)).toBeCloseTo(1, 6)
  })

  it('turns heads into positions and back with four AllToAlls each way under Ulysses', () => {
    const list = moves('ulysses')
    expect(list.every((move) => move.includes('AllToAll'))).toBe(true)
    expect(list.filter((move) => move.startsWith('forward'))).toHaveLength(4)
    expect(list.filter((move) => move.startsWith('backward'))).toHaveLength(4)
  })

  it('shards no more key-value heads than there are under Ulysses', () => {
    const { model } = asked
    expect(contextLayoutFits('ulysses', { ...unitMesh, context: 8 }, model)).toBe(true)
    expect(contextLayoutFits('ulysses', { ...unitMesh, context: 8, tensor: 2 }, model)).toBe(false)
    expect(contextLayoutFits('ring', unitMesh, model)).toBe(false)
  })

  it('is the best of those that are tried, of each mesh', () => {
    const each = contextLayouts.map((layout) => search(costModel({ ...asked, top: 1000 }, layout)).candidates)
    const best = new Map<string, number>()
    for (const { mesh, score } of each.flat()) {
      const key = Object.values(mesh).join()
      best.set(key, Math.min(score, best.get(key) ?? Number.POSITIVE_INFINITY))
    }
    const expected = [...best.values()].sort((a, b) => a - b).slice(0, asked.top)
    const found = searchAll(contextModels(asked), asked.top).candidates.map(({ score }) => score)
    expect(found).toEqual(expected)
  })

  it('is never slower for one more that may be tried', () => {
    const time = (tried: readonly ContextLayout[]) => {
      const assumptions = { ...asked.assumptions, contextLayouts: tried }
      return optimize({ ...asked, assumptions, constraints: { context: 4 } }, solver).plans[0]
        ?.stepTimeSeconds
    }
    const [gather = 0, more = 0, all = 0] = [time(['gather']), time(['gather', 'ring']), time(contextLayouts)]
    expect(more).toBeLessThanOrEqual(gather)
    expect(all).toBeLessThanOrEqual(more)
  })

  it('may be written into a plan, and is refused where it cannot be', () => {
    const mesh = { ...unitMesh, context: 8, data: 2 }
    const answers = contextLayouts.map((contextLayout) =>
      evaluate(asked, { mesh, contextLayout, zeroStage: 1 }, solver),
    )
    expect(answers.map((answer) => ('plan' in answer ? answer.plan.contextLayout : null))).toEqual(
      contextLayouts,
    )
    const wide = { ...unitMesh, context: 8, tensor: 2 }
    const refused = evaluate(asked, { mesh: wide, contextLayout: 'ulysses' }, solver)
    expect(refused).toMatchObject({ illegal: [{ pointer: '/plan/contextLayout' }] })
  })
})

describe('a policy that keeps everything', () => {
  it('has nothing to compute again, however attention meets its keys', () => {
    const [everything] = policyRows
    if (!everything) throw new Error('there are policies')
    for (const layout of contextLayouts) {
      const latent = latentAttention('B_RXE T_CY D_Z', { lowRank: true, index: true }, layout)
      for (const component of [attention('sequence', layout), latent]) {
        expect(recomputedArrays(component, everything)).toEqual([])
      }
    }
  })

  it('computes the same again under all layouts where it keeps less', () => {
    for (const policy of policyRows) {
      const matmuls = contextLayouts.map((layout) => {
        const component = attention('sequence', layout)
        const again = recomputedArrays(component, policy)
        return component.einsums.filter(({ out, kind }) => kind !== 'reshard' && again.includes(out)).length
      })
      expect(new Set(matmuls).size).toBe(1)
    }
  })
})

function derivation(layout: ContextLayout) {
  const component = restricted(attention('sequence', layout), ['context', 'tensor'])
  return derive(component, { zeroStage: 0, active: ['context', 'tensor'], regatherActivations: true })
}
