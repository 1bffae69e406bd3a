/**
 * How a pipeline divides the model. Stage i of p has v chunks (virtual stages); the model passes chunk 0 of all stages,
 * then chunk 1 of all, and so on, so that chunk c of stage i is number c·p + i. If v does not divide a stage's layers,
 * its first chunks are the longer ones.
 */

import { layersOfChunk } from '../../model/composition.ts'
import { keepEverything, recomputeEverything } from '../../recipe/policy.ts'
import type { Run } from './run.ts'

/** Layers of each chunk, in the order of the model. */
export function chunks({
  schedule: { virtualStages },
  stageLayers,
}: Pick<Run, 'schedule' | 'stageLayers'>): readonly number[] {
  return Array.from({ length: virtualStages }, (_, chunk) =>
    stageLayers.map((layers, stage) => layersOfChunk(layers, virtualStages, chunk, stage)),
  ).flat()
}

/** Layers of each stage, of chunks that are so many for each of them. */
export function stageLayersOf(layers: readonly number[], stages: number): readonly number[] {
  return Array.from({ length: stages }, (_, stage) =>
    layers.reduce((sum, count, chunk) => (chunk % stages === stage ? sum + count : sum), 0),
  )
}

/** Layers that "the first n of each chunk" takes on a stage. */
export function layersTaken(layers: number, virtualStages: number, perChunk: number): number {
  let taken = 0
  for (let chunk = 0; chunk < virtualStages; chunk++) {
    taken += Math.min(perChunk, layersOfChunk(layers, virtualStages, chunk))
  }
  return taken
}

/** A plan's field for so many layers that are recomputed whole, all others keeping everything. */
export function wholeLayersAgain(full: number, stageLayers: readonly number[]): unknown {
  const none = stageLayers.reduce((sum, layers) => sum + layers, 0) - full
  if (full === 0 || none === 0) return full === 0 ? keepEverything.name : recomputeEverything.name
  return [
    { policy: keepEverything.name, layers: none },
    { policy: recomputeEverything.name, layers: full },
  ]
}

/** Layers of each chunk between the first and the last; null if these differ. */
export function interiorLayers(layers: readonly number[]): number | null {
  const [first, ...others] = layers.length > 2 ? layers.slice(1, -1) : [Math.max(...layers)]
  return first !== undefined && others.every((count) => count === first) ? first : null
}
