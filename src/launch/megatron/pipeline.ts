/**
 * Megatron-LM's flags for pipeline stages, in the simplest form that describes them: equal chunks; a first and a last
 * stage that differ from the rest; or a layout string such as `Et*7|(t*8|)*14t*7L`, in which `|` separates chunks, E is
 * the embedding, t a layer, m a layer that predicts a further token, and L the loss. Without a layout string, m layers
 * are on the last stage. Source: as flags.ts, and megatron/core/transformer/pipeline_parallel_layer_layout.py.
 */

import { chunks, interiorLayers } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import { given, part, ranks, setting, several, whole, word } from '../settings/settings.ts'

export const pipelineSettings = {
  pipeline: setting('--pipeline-model-parallel-size', ({ mesh }: Run) => several(mesh.pipeline), ranks),
  cuts: part(cutsOf, {
    virtualStages: setting('--num-virtual-stages-per-pipeline-rank', ({ virtual }) => virtual, whole),
    layout: setting('--pipeline-model-parallel-layout', ({ layout }) => layout, word),
    first: setting('--decoder-first-pipeline-num-layers', ({ first }) => first, whole),
    last: setting('--decoder-last-pipeline-num-layers', ({ last }) => last, whole),
    perChunk: setting('--num-layers-per-virtual-pipeline-stage', null, whole),
    embedding: setting('--account-for-embedding-in-pipeline-split', null, given),
    loss: setting('--account-for-loss-in-pipeline-split', null, given),
    // Megatron-DeepSpeed's: `type:transformer|embedding` counts both ends as a layer each.
    partition: setting('--pp-partition-method', null, word),
  }),
}

interface Cuts {
  readonly virtual?: number | null
  readonly layout?: string
  readonly first?: number | undefined
  readonly last?: number | undefined
}

/** A pattern of layers has the cuts in it. */
function cutsOf(run: Run): Cuts | null {
  const { mesh, schedule, stageLayers, model } = run
  if (mesh.pipeline === 1 || model.layerPattern !== undefined) return null
  const layers = chunks(run)
  const { virtualStages } = schedule
  if (layers.every((count) => count === layers[0])) return { virtual: several(virtualStages) }
  if (virtualStages > 1 || interiorLayers(stageLayers) === null) {
    return { layout: pipelineLayout(layers, model.multiTokenLayers) }
  }
  return { first: stageLayers[0], last: stageLayers.at(-1) }
}

function pipelineLayout(layers: readonly number[], multiTokenLayers: number): string {
  const ending = `${'m'.repeat(multiTokenLayers)}L`
  const last = layers.length - 1
  const cells = layers.map(
    (count, index) => `${index === 0 ? 'E' : ''}${decoders(count)}${index < last ? '|' : ending}`,
  )
  return runs(cells)
    .map(({ cell, times }) => (times > 1 ? `(${cell})*${times}` : cell))
    .join('')
}

function decoders(count: number): string {
  return count > 1 ? `t*${count}` : 't'.repeat(count)
}

function runs(cells: readonly string[]): readonly { readonly cell: string; readonly times: number }[] {
  const result: { cell: string; times: number }[] = []
  for (const cell of cells) {
    const before = result.at(-1)
    if (before?.cell === cell) before.times++
    else result.push({ cell, times: 1 })
  }
  return result
}
