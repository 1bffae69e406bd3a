/**
 * Megatron-LM's flags for pipeline stages, in the simplest form that describes them: equal chunks; a first and a last
 * stage that differ from the rest; or a layout string such as `Et*7|(t*8|)*14t*7L`, in which `|` separates chunks, E is
 * the embedding, t a layer, m a layer that predicts a further token, and L the loss. Without a layout string, m layers
 * are on the last stage. Source: as flags.ts, and megatron/core/transformer/pipeline_parallel_layer_layout.py.
 */

import { chunks, interiorLayers } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'

export function megatronPipeline(run: Run): readonly Word[] {
  const { mesh, schedule, stageLayers, model } = run
  if (mesh.pipeline === 1) return []
  // A pattern of layers has the cuts in it.
  const cuts = model.layerPattern === undefined ? stages() : []
  return ['--pipeline-model-parallel-size', mesh.pipeline, ...cuts]

  function stages(): readonly Word[] {
    const layers = chunks(run)
    const [first = 0] = stageLayers
    const last = stageLayers.at(-1) ?? 0
    const { virtualStages } = schedule
    if (layers.every((count) => count === layers[0])) {
      return virtualStages > 1 ? ['--num-virtual-stages-per-pipeline-rank', virtualStages] : []
    }
    if (virtualStages > 1 || interiorLayers(stageLayers) === null) {
      return ['--pipeline-model-parallel-layout', pipelineLayout(layers, model.multiTokenLayers)]
    }
    return ['--decoder-first-pipeline-num-layers', first, '--decoder-last-pipeline-num-layers', last]
  }
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
