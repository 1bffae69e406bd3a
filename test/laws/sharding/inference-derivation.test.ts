import { describe, expect, it } from 'vitest'
import { arrayNotation } from '../../../src/sharding/array.ts'
import type { Axis } from '../../../src/sharding/axis.ts'
import { type Component, restricted } from '../../../src/sharding/component.ts'
import { inferenceCompressedAttention } from '../../../src/sharding/tables/inference-compressed-attention.ts'
import { inferenceExperts } from '../../../src/sharding/tables/inference-experts.ts'
import { inferenceLatentAttention } from '../../../src/sharding/tables/inference-latent-attention.ts'
import {
  inferenceAttention,
  inferenceBlock,
  inferenceEmbedding,
  inferenceMlp,
  inferenceUnembedding,
} from '../../../src/sharding/tables/inference-layout.ts'
import { latentForms, placesBeside } from '../../../src/sharding/tables/inference-layout-fields.ts'
import { projectionLayouts, projectionUse } from '../../../src/sharding/tables/inference-sharding.ts'
import { runForward } from './simulated-inference.ts'
import { plain } from './simulated-mesh.ts'

const mixture = { experts: 2, activeExperts: 2, sharedExperts: 1, dFfExpert: 1, denseLayers: 0, every: 1 }
const sharing = { gatedMlp: true, experts: mixture }
const apart = { gatedMlp: false, experts: { ...mixture, sharedExperts: 0 } }

const layouts: readonly { readonly name: string; readonly component: Component }[] = [
  ...projectionLayouts.flatMap((projection) => [
    { name: `gated MLP ${projection}`, component: inferenceMlp(projection, true) },
    { name: `MLP ${projection}`, component: inferenceMlp(projection, false) },
    { name: `unembedding ${projection}`, component: inferenceUnembedding(projection) },
    { name: `embedding beside ${projection}`, component: inferenceEmbedding(projection) },
    ...projectionUse(projection).caches.flatMap((cache) => [
      { name: `attention ${projection}/${cache}`, component: inferenceAttention(projection, cache) },
      {
        name: `compressed attention ${projection}/${cache}`,
        component: inferenceCompressedAttention(projection, cache),
      },
      { name: `block ${projection}/${cache}`, component: inferenceBlock(projection, cache, true) },
    ]),
  ]),
  ...projectionLayouts.flatMap((projection) => [
    ...placesBeside(projection).map((places) => ({
      name: `experts ${projection}/${places}`,
      component: inferenceExperts(places === 'dispatched' ? apart : sharing, projection, places),
    })),
    ...projectionUse(projection).caches.flatMap((cache) =>
      latentForms.map((form) => ({
        name: `latent attention ${projection}/${cache}/${form}`,
        component: inferenceLatentAttention(projection, cache, form, { lowRank: true, index: true }),
      })),
    ),
  ]),
  {
    name: 'latent attention without a query rank',
    component: inferenceLatentAttention('2d', 'heads', 'absorbed', { lowRank: false, index: false }),
  },
]

const meshes: readonly (readonly Axis[])[] = [
  [],
  ['tensor'],
  ['tensor2'],
  ['context'],
  ['tensor', 'tensor2'],
  ['data', 'tensor'],
  ['tensor', 'context'],
  ['tensor2', 'context'],
  ['data', 'tensor', 'tensor2'],
  ['tensor', 'tensor2', 'context'],
  ['expert'],
  ['data', 'expert', 'tensor'],
  ['expert', 'tensor', 'tensor2'],
]

describe.each(layouts)('$name, run with numbers on tiny meshes', ({ component }) => {
  const runs = meshes.map((active) => runForward(restricted(component, active), active))

  it('leaves every chip its part of what one chip would compute', () => {
    for (const { outcomes } of runs) {
      for (const { name, is, should } of outcomes) expect(plain(is), name).toEqual(plain(should))
    }
  })

  it('makes every result that the table declares', () => {
    const results = [...new Set(component.einsums.map(({ out }) => out))].sort()
    for (const { outcomes } of runs) expect(outcomes.map(({ name }) => name).sort()).toEqual(results)
  })

  it('moves, reads, writes and multiplies as much as the algebra says', () => {
    for (const { comparisons } of runs) {
      for (const { line, what, said, done } of comparisons) expect(said, `${what} of ${line}`).toBe(done)
    }
  })
})

describe('the stream from one component to the next', () => {
  const streams = projectionLayouts.map((projection) => inferenceMlp(projection, true).arrays)
  const pairs = streams.flatMap(({ Out }) =>
    streams.flatMap(({ In }) =>
      Out && In ? [{ from: arrayNotation(Out), to: arrayNotation(In), Out, In }] : [],
    ),
  )

  it.each(pairs)('goes from $from to $to by what is printed', ({ Out, In }) => {
    const component: Component = {
      name: 'stream',
      arrays: { Out, In },
      einsums: [{ out: 'In', left: 'Out', right: 'Out', kind: 'reshard' }],
    }
    for (const active of meshes) {
      const { outcomes, comparisons } = runForward(restricted(component, active), active)
      expect(outcomes.map(({ name }) => name)).toEqual(['In'])
      for (const { is, should } of outcomes) expect(plain(is)).toEqual(plain(should))
      for (const { said, done } of comparisons) expect(said).toBe(done)
    }
  })
})

describe('the tables', () => {
  it('name each array once, and no axis twice on one', () => {
    for (const { component } of layouts) {
      for (const [name, array] of Object.entries(component.arrays)) {
        expect(array.name).toBe(name)
        const axes = array.dimensions.flatMap((dimension) => dimension.axes)
        expect(new Set(axes).size, arrayNotation(array)).toBe(axes.length)
      }
    }
  })
})
