/** Of layouts that are equal on a mesh only one is offered: none is missing, and no two are the same. */
import { expect, it } from 'vitest'
import type { Transformer } from '../../../src/model/transformer.ts'
import { arrayNotation } from '../../../src/sharding/array.ts'
import { type Axis, axes, unitMesh } from '../../../src/sharding/axis.ts'
import { restricted } from '../../../src/sharding/component.ts'
import {
  type InferenceLayout,
  layerLayouts,
  unembeddingLayouts,
} from '../../../src/sharding/tables/inference-layout.ts'
import { isDistinct } from '../../../src/sharding/tables/inference-layout-fields.ts'
import { problem } from '../../problem.ts'

function reading({ component }: InferenceLayout, active: readonly Axis[]): string {
  return Object.values(restricted(component, active).arrays).map(arrayNotation).join(', ')
}

const several = axes.filter((axis) => ['tensor', 'tensor2', 'context', 'data'].includes(axis))

function modelOf(name: string): Transformer {
  return problem({ model: name, chip: 'h100-sxm', chips: 8, batchTokens: 8192, sequenceLength: 1024 }).model
}

it.each([
  'llama-3-8b',
  'deepseek-v3',
  'palm-540b',
])('are offered of %s, whichever axes have chips', (name) => {
  const components = [...layerLayouts(modelOf(name)).map(({ layouts }) => layouts), unembeddingLayouts()]
  for (let mask = 0; mask < 1 << several.length; mask++) {
    const active = several.filter((_, at) => mask & (1 << at))
    const mesh = { ...unitMesh, ...Object.fromEntries(active.map((axis) => [axis, 2])) }
    for (const layouts of components) {
      // Experts are dealt out where an axis is there for it, which is not a matter of how a table reads.
      // Nor are copies for one group of all tensor chips, whose attention is that of 1d.
      const alike = layouts.filter(
        ({ places, projection, cache }) =>
          places === null && !(projection === 'copied' && cache !== null && mesh.tensor2 === 1),
      )
      const offered = alike.filter((layout) => isDistinct(layout, mesh)).map((one) => reading(one, active))
      expect(new Set(offered).size).toBe(offered.length)
      for (const layout of alike) expect(offered).toContain(reading(layout, active))
    }
  }
})

it('have the weights of a single shared expert, and may have copies of it, which a model without has not', () => {
  const model = modelOf('deepseek-v3')
  const { experts } = model
  if (!experts) throw new Error('has no experts')
  const layoutsWith = (sharedExperts: number) =>
    layerLayouts({ ...model, experts: { ...experts, sharedExperts } })
      .flatMap(({ layouts }) => layouts)
      .filter(({ places }) => places !== null)
  const isShared = (layout: InferenceLayout) => Object.keys(layout.component.arrays).includes('SharedTmp')
  expect(layoutsWith(1).map(isShared)).not.toContain(false)
  expect(layoutsWith(0).map(isShared)).not.toContain(true)
  expect(layoutsWith(1).length).toBeGreaterThan(layoutsWith(0).length)
})
