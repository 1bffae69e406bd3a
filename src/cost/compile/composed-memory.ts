/**
 * Memory of the layers that a stage has, per layer of its L: states and kept activations add up over its n_d dense and n_s sparse
 * layers (composed.ts). What is live at once does not add up:
 *
 *   a layer that is recomputed, and its unscattered gradients     the larger kind's, of those that the stage has
 *   the weights of as many layers as are gathered at once         of the larger kind, two only where two are neighbours
 *
 * Layers with experts are neighbours where every layer has them after the first ones; dense ones are where they come first, or
 * where every third layer or fewer have experts. Where a layer has a mixer or an MLP alone, the pattern says which are neighbours.
 */
import type { Composition } from '../../model/composition.ts'
import { layersOfKindAdjoin } from '../../model/layer-pattern.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Problem } from '../../problem.ts'
import type { Bytes } from '../../units.ts'
import type { MemoryNumbers, StateNumbers } from '../memory/layer-bytes.ts'
import { blend } from './composed.ts'

export type LayerMemory = Pick<MemoryNumbers, 'layer' | 'kept' | 'live' | 'host'>

export function composedMemory(
  composition: Composition,
  dense: LayerMemory,
  sparse: LayerMemory,
  { model, assumptions }: Pick<Problem, 'model' | 'assumptions'>,
): LayerMemory {
  const blended = (pick: (kind: LayerMemory) => readonly Bytes[]) =>
    pick(dense).map((bytes, policy) => blend(composition, bytes, pick(sparse)[policy] ?? 0))
  const state = (pick: (states: StateNumbers) => Bytes) =>
    blend(composition, pick(dense.layer), pick(sparse.layer))
  const present = [...(composition.dense > 0 ? [dense] : []), ...(composition.sparse > 0 ? [sparse] : [])]
  const largest = (pick: (kind: LayerMemory) => Bytes) => Math.max(...present.map(pick))
  return {
    layer: {
      weights: state(({ weights }) => weights),
      gradients: state(({ gradients }) => gradients),
      optimizer: state(({ optimizer }) => optimizer),
      onHost: state(({ onHost }) => onHost),
      gathered: gatheredPerLayer(
        composition,
        dense.layer.gathered,
        sparse.layer.gathered,
        model,
        assumptions.layersGathered,
      ),
      unscattered: largest(({ layer }) => layer.unscattered),
    },
    kept: blended(({ kept }) => kept),
    live: dense.live.map((_, policy) => largest(({ live }) => live[policy] ?? 0)),
    host: blended(({ host }) => host),
  }
}

/** What is gathered at once, divided by the number of layers that fixedMemory counts (cost/memory/stage-memory.ts). */
function gatheredPerLayer(
  { layers, dense, sparse }: Composition,
  ofDense: Bytes,
  ofSparse: Bytes,
  { experts: mixture, layerPattern }: Transformer,
  most: number,
): Bytes {
  const atOnce = Math.min(most, dense + sparse)
  const experts = ofSparse >= ofDense
  const [count, large, small] = experts ? [sparse, ofSparse, ofDense] : [dense, ofDense, ofSparse]
  const every = mixture?.every ?? 1
  const periodic = every === 1 || (!experts && (every > 2 || dense > sparse + 1))
  const neighbours = layerPattern === undefined ? periodic : layersOfKindAdjoin(layerPattern, experts)
  const larger = Math.min(atOnce, neighbours ? Math.ceil(count) : Math.min(1, count))
  return (larger * large + (atOnce - larger) * small) / Math.min(most, layers)
}
