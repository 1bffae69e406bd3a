/**
 * The parts of a model whose weights a checkpoint may keep in types of their own, and how many parameters each has.
 * Norms and routers are in none of them: they stay in 16 bits or more everywhere, and are under 0.1 % of a model.
 */
import { denseLayers, expertLayerParameters, expertLayers } from './expert-layers.ts'
import { layerParameters, parameterCount } from './parameters.ts'
import type { Transformer } from './transformer.ts'

export const weightParts = [
  'attention',
  'mlp',
  'experts',
  'sharedExperts',
  'embedding',
  'unembedding',
] as const

export type WeightPart = (typeof weightParts)[number]

/** A number for each part. */
export type ByPart = Readonly<Record<WeightPart, number>>

export function partParameters(model: Transformer): ByPart {
  const { attention, experts, embedding, unembedding } = parameterCount(model)
  const sparse = expertLayers(model)
  return {
    attention,
    mlp: denseLayers(model) * layerParameters(model).mlp,
    experts,
    sharedExperts: sparse * expertLayerParameters(model).shared,
    embedding,
    unembedding,
  }
}

export function byPart(numberOf: (part: WeightPart) => number): ByPart {
  const numbers = weightParts.map((part) => [part, numberOf(part)] as const)
  return Object.fromEntries(numbers) as Record<WeightPart, number>
}
