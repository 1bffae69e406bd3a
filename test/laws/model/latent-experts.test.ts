/** Experts of a width of their own: what they have, what is sent to them, and that their sum goes back up before it is reduced. */
import { describe, expect, it } from 'vitest'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { recomputedArrays } from '../../../src/cost/memory/recomputation.ts'
import { type Architecture, transformer } from '../../../src/model/architecture.ts'
import { expertLayerParameters } from '../../../src/model/expert-layers.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { keepEverything } from '../../../src/recipe/policy.ts'
import type { PolicyRow } from '../../../src/recipe/policy-row.ts'
import type { Axis } from '../../../src/sharding/axis.ts'
import { type Component, restricted, weightsOf } from '../../../src/sharding/component.ts'
import { derive, deriveForward, movesOf } from '../../../src/sharding/derive.ts'
import { elementsOf } from '../../../src/sharding/elements.ts'
import { numerator } from '../../../src/sharding/monomial.ts'
import { inferenceExperts } from '../../../src/sharding/tables/inference-experts.ts'
import { layerParts, residualShardings } from '../../../src/sharding/tables/training-layout.ts'

const [width, narrow] = [2048, 512]
const mixture = { experts: 16, activeExperts: 4, sharedExperts: 1, dFfExpert: 1024, denseLayers: 0, every: 1 }
const shape: Architecture = {
  ...{
    layers: 4,
    dModel: width,
    dFf: 4096,
    heads: 16,
    vocab: 32_000,
    gatedMlp: false,
    tiedEmbeddings: false,
  },
}
const wide = transformer('wide', { ...shape, experts: mixture })
const latent = transformer('latent', { ...shape, experts: { ...mixture, latentWidth: narrow } })

const trained = (model: Transformer, residual: (typeof residualShardings)[number] = 'sequence') => {
  const found = layerParts(model, residual).find(({ component }) => component.name === 'experts')
  if (!found) throw new Error('it has experts')
  return found.component
}
const served = (model: Transformer) => [
  inferenceExperts(model, '1d', 'sliced'),
  inferenceExperts(model, '1d', 'spread'),
  inferenceExperts(model, 'copied-all', 'dispatched'),
]

describe('experts of a width of their own', () => {
  it('have matrices of it, and a token two projections to it and back', () => {
    const { expert, shared, router, active } = expertLayerParameters(latent)
    expect(expert).toBe(2 * narrow * 1024)
    expect(shared).toBe(2 * width * 1024 + 2 * width * narrow)
    expect(active).toBe(router + shared + 4 * expert)
  })

  it('have in each table the weights that are counted', () => {
    const { routed, shared } = expertLayerParameters(latent)
    for (const component of [...residualShardings.map((one) => trained(latent, one)), ...served(latent)]) {
      const sizes = weightsOf(component).map((weight) => numerator(elementsOf(weight), extentsOf(latent, 1)))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(routed + shared)
    }
  })

  it('run nothing again where everything is kept, and the projection down where a token is sent again', () => {
    const again = (policy: PolicyRow) => recomputedArrays(trained(latent), policy)
    expect(again(keepEverything)).toEqual([])
    expect(again({ name: 'own', attention: [], mlp: [], stream: 2 })).toContain('Narrow')
  })

  it('are sent that much less, forwards and backwards, in training and in inference', () => {
    const sent = (model: Transformer, component: Component, backwards: boolean) => {
      const only: readonly Axis[] = ['expert']
      const own = restricted(component, only)
      const derivation = backwards
        ? derive(own, { zeroStage: 0, active: only, regatherActivations: false })
        : deriveForward(own)
      return movesOf(derivation)
        .filter(({ operation }) => operation === 'AllToAll')
        .map(({ pass, elements }) => [pass, numerator(elements, extentsOf(model, 1))] as const)
    }
    const compared = (own: Component, other: Component, backwards: boolean) => {
      const [less, more] = [sent(latent, own, backwards), sent(wide, other, backwards)]
      expect(less.length).toBe(backwards ? 4 : 2)
      less.forEach(([pass, elements], at) => {
        expect([pass, elements]).toEqual([more[at]?.[0], ((more[at]?.[1] ?? 0) * narrow) / width])
      })
    }
    compared(trained(latent), trained(wide), true)
    const [, , own] = served(latent)
    const [, , other] = served(wide)
    if (own && other) compared(own, other, false)
  })

  it('are gathered and reduced over tensor chips of a server as others are: their partial sum goes back up first', () => {
    const moves = (model: Transformer) =>
      served(model)
        .slice(0, 2)
        .map((component) =>
          movesOf(deriveForward(restricted(component, ['tensor']))).map(({ operation, elements }) => [
            operation,
            numerator(elements, extentsOf(model, 1)),
          ]),
        )
    expect(moves(latent)).toEqual(moves(wide))
  })
})
