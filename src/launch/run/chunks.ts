/**
 * How a pipeline cuts the model. Stage i of p has v chunks (virtual stages), and the model runs through chunk 0 of all
 * stages, then chunk 1 of all, ...: chunk c of stage i is the (c·p + i)-th. A stage whose layers v does not divide has
 * the longer chunks first.
 */
import { layersOfChunk } from '../../model/composition.ts'
import type { Run } from './run.ts'

/** Layers of every chunk, in the order of the model. */
export function chunks({
  schedule: { virtualStages },
  stageLayers,
}: Pick<Run, 'schedule' | 'stageLayers'>): readonly number[] {
  return Array.from({ length: virtualStages }, (_, chunk) =>
    stageLayers.map((layers) => layersOfChunk(layers, virtualStages, chunk)),
  ).flat()
}

/** Layers that a rule "the first n of each chunk" takes on a stage. */
export function layersTaken(layers: number, virtualStages: number, perChunk: number): number {
  let taken = 0
  for (let chunk = 0; chunk < virtualStages; chunk++) {
    taken += Math.min(perChunk, layersOfChunk(layers, virtualStages, chunk))
  }
  return taken
}

/** Layers of every chunk but the first and the last, where these agree. */
export function interiorLayers(layers: readonly number[]): number | null {
  const [first, ...others] = layers.length > 2 ? layers.slice(1, -1) : [Math.max(...layers)]
  return first !== undefined && others.every((count) => count === first) ? first : null
}
