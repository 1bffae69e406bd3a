/**
 * A layout such as `Et*7|(t*8|)*14t*7L` (--pipeline-model-parallel-layout): chunks in the order of the model (run/chunks.ts), which `|`
 * separates, with E the embedding, t a layer, m one that predicts a further token, L the loss. Source: core_v0.19.0,
 * megatron/core/transformer/pipeline_parallel_layer_layout.py, whose validate_layer_layout asserts what is a fault here.
 */
import { compact } from '../../../compact.ts'
import { chunks, stageLayersOf } from '../../run/chunks.ts'
import { pipelineSettings } from '../pipeline.ts'
import type { Stages } from './stages.ts'

export const layoutOption = pipelineSettings.cuts.rows.layout.option

/** What the other options say of the model; null where they leave it to the request. */
interface Layers {
  readonly layers: number | null
  readonly multiTokenLayers: number | null
}

export function laidOut(layout: string, pipeline: number, model: Layers): Stages {
  const of = `${layoutOption} ${layout.slice(0, 100)}`
  const cells = expanded(layout)?.split('|')
  const none = { virtualStages: 1, stageLayers: null, notes: [] }
  if (!cells || cells.length % pipeline !== 0) {
    return { ...none, faults: [`${of} is not so many chunks of ${pipeline} stages`] }
  }
  const virtualStages = cells.length / pipeline
  const decoders = cells.map((cell) => times(cell, 't'))
  const stageLayers = stageLayersOf(decoders, pipeline)
  const faults = compact(
    misplaced(cells.join(''), model),
    misplacedFurther(cells, pipeline),
    stageLayers.includes(0) &&
      `has stage ${stageLayers.indexOf(0)} without a layer (t), which is not counted`,
  )
  if (faults.length > 0) return { ...none, virtualStages, faults: faults.map((fault) => `${of} ${fault}`) }
  const counted = chunks({ schedule: { name: 'interleaved-1f1b', virtualStages }, stageLayers })
  const further = cells.findIndex((cell) => cell.includes('m')) % pipeline
  const notes = compact(
    decoders.join() !== counted.join() &&
      `${of}: the layers of a stage are counted as dealt evenly to its ${virtualStages} chunks, the longer ones first`,
    cells.some((cell) => cell.includes('m')) &&
      further !== pipeline - 1 &&
      `${of}: what predicts further tokens (m) is counted on the last stage, with the loss, not on stage ${further}`,
  )
  return { virtualStages, stageLayers, notes, faults: [] }
}

/** What is asserted of all chunks together. */
function misplaced(whole: string, { layers, multiTokenLayers }: Layers): readonly string[] {
  const decoders = times(whole, 't')
  const further = times(whole, 'm')
  return compact(
    (!whole.startsWith('E') || times(whole, 'E') > 1) &&
      'has to begin with E, the embedding, and have it once',
    (!whole.endsWith('L') || times(whole, 'L') > 1) && 'has to end with L, the loss, and have it once',
    layers !== null && decoders !== layers && `has ${decoders} layers (t), the model has ${layers}`,
    multiTokenLayers !== null &&
      further !== multiTokenLayers &&
      `has ${further} layers that predict further tokens (m), --mtp-num-layers says ${multiTokenLayers}`,
  )
}

/** What is asserted of layers that predict further tokens: behind all others, in one chunk, which is the last of its stage. */
function misplacedFurther(cells: readonly string[], pipeline: number): readonly string[] {
  const own = cells.flatMap((cell, at) => (cell.includes('m') ? [at] : []))
  const [first = cells.length] = own
  return compact(
    /m.*t/.test(cells.join('')) && 'has layers (t) behind what predicts further tokens (m)',
    own.length > 1 && 'has what predicts further tokens (m) in several chunks: they have to be in one',
    first < cells.length - pipeline &&
      'has what predicts further tokens (m) in a chunk that is not the last of its stage',
  )
}

function times(text: string, letter: string): number {
  return text.split(letter).length - 1
}

const longest = 20_000

/** Writes out all repetitions as Megatron-LM does, first those of brackets, then those of letters; null if the text gets too long or is no layout. */
function expanded(layout: string): string | null {
  let text = layout.replaceAll(',', '')
  for (const repeated of [/\(([^)]+)\)\*(\d+)/g, /(.)\*(\d+)/g]) {
    const grown = [...text.matchAll(repeated)].map(([, part = '', count]) => part.length * Number(count))
    if (grown.reduce((sum, length) => sum + length, text.length) > longest) return null
    text = text.replaceAll(repeated, (_, part: string, count) => part.repeat(Number(count)))
  }
  return /^[EtmL|]*$/.test(text) ? text : null
}
