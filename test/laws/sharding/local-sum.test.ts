import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { createSizes, setShape, setShards, withContext } from '../../../src/inference/layout/local-sizes.ts'
import { localSum, localTerm, sumOf } from '../../../src/inference/layout/local-term.ts'
import { transformer } from '../../../src/model/architecture.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { smallDense } from '../../small-model.ts'

const extents = fc.constantFrom('B', 'T', 'S', 'D', 'F', 'K', 'V', 'A', 'Ev')
const sharded = fc.constantFrom('data', 'tensor', 'context', 'expert')
const dimensions = fc.array(fc.record({ extent: extents, axes: fc.uniqueArray(sharded, { maxLength: 2 }) }))
const sizes = fc.constantFrom(1, 2, 3, 8)
const model = transformer('own', smallDense)
const rounding = {
  ...{
    tokensDivideFreely: false,
    expertImbalance: 1.2,
    expertUnevenness: 0.06,
    redundantExperts: 0,
    choicesApart: false,
  },
}

/** Meshes and shapes are drawn from few, so that the same comes again after another. */
const settings = fc.record({
  mesh: fc.constantFrom(
    unitMesh,
    { ...unitMesh, data: 2, tensor: 4 },
    { ...unitMesh, expert: 3, context: 2 },
  ),
  shape: fc.record({ sequences: sizes, positions: sizes, context: sizes }),
  attended: fc.option(sizes, { nil: undefined }),
})

describe('a sum that is remembered', () => {
  law(
    'is what its terms add up to, whatever was set before',
    60,
    [
      fc.array(fc.array(dimensions, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.array(settings, { minLength: 1, maxLength: 12 }),
    ],
    (drawn, turns) => {
      const sums = drawn.map((terms) =>
        terms.map((own, at) =>
          localTerm(
            at + 1,
            own.map((dimension) => ({ label: dimension.extent, ...dimension })),
          ),
        ),
      )
      const known = createSizes(model, rounding, sums.length)
      for (const { mesh, shape, attended } of turns) {
        const fresh = createSizes(model, rounding)
        for (const each of [known, fresh]) {
          setShards(each, mesh)
          setShape(each, shape)
        }
        const expectAlike = () => {
          for (const [at, terms] of sums.entries()) {
            expect(sumOf(localSum(terms, at), known)).toBe(sumOf(localSum(terms), fresh))
          }
        }
        expectAlike()
        if (attended === undefined) continue
        withContext(known, attended, () => withContext(fresh, attended, expectAlike))
        expectAlike()
      }
    },
  )
})
