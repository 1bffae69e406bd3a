/** The stages that Megatron-LM's options describe: equal ones, a first or last one that differs, or a layout string. Source: as pipeline.ts. */
import { compact } from '../../../compact.ts'
import type { Options } from '../../read/options.ts'
import { stageLayersOf } from '../../run/chunks.ts'

export interface Stages {
  readonly virtualStages: number
  /** Layers of each stage; null if the options do not give the number of layers. */
  readonly stageLayers: readonly number[] | null
  readonly faults: readonly string[]
}

export function readMegatronStages(options: Options, pipeline: number, layers: number | null): Stages {
  const perChunk = options.whole('--num-layers-per-virtual-pipeline-stage')
  const virtual = options.whole('--num-virtual-stages-per-pipeline-rank')
  const layout = options.text('--pipeline-model-parallel-layout')
  const [first, last] = [
    options.whole('--decoder-first-pipeline-num-layers'),
    options.whole('--decoder-last-pipeline-num-layers'),
  ]
  // Megatron-DeepSpeed's: `type:transformer|embedding` counts both ends as a layer each.
  const typed = options.text('--pp-partition-method')?.includes('embedding') ?? false
  const embedding = options.has('--account-for-embedding-in-pipeline-split') || typed ? 1 : 0
  const loss = options.has('--account-for-loss-in-pipeline-split') || typed ? 1 : 0
  if (pipeline === 1) return stages({})
  const stagesOfAll = pipeline * (virtual ?? 1)
  if (stagesOfAll > (layers === null ? mostStages : layers + embedding + loss)) {
    return stages({ faults: [`${stagesOfAll} stages for ${layers ?? 'so few'} layers`] })
  }
  if (layout !== null) return laidOut(layout, pipeline, layers)
  if (layers === null) return stages({ virtualStages: virtual ?? 1 })
  const ends = [first, last].filter((end) => end !== null)
  const inside = pipeline - ends.length
  const between = layers + embedding + loss - ends.reduce((sum, end) => sum + end, 0)
  const ofEnds = compact(embedding > 0 && 'the embedding', loss > 0 && 'the loss').join(' and ')
  const counted = ofEnds && `, with ${ofEnds} counted as ${embedding + loss > 1 ? 'one each' : 'one'}`
  // With two stages both may be given, so that none are in between.
  const each = inside === 0 && between === 0 ? (first ?? 0) : between / inside
  if (!Number.isInteger(each)) {
    const faults = [undivided()]
    return stages({ virtualStages: virtual ?? 1, faults })
  }
  const stageLayers = Array.from({ length: pipeline }, (_, stage) => {
    if (stage === 0) return (first ?? each) - embedding
    return stage === pipeline - 1 ? (last ?? each) - loss : each
  })
  const virtualStages = virtual ?? (perChunk === null ? 1 : each / perChunk)
  if (!Number.isInteger(virtualStages)) {
    const faults = [`${each} layers of a stage are not so many chunks of ${perChunk}`]
    return stages({ stageLayers, faults })
  }
  const uncut = [...ends, ...(inside > 0 ? [each] : [])].find((count) => count % virtualStages !== 0)
  if (uncut !== undefined) return stages({ stageLayers, faults: [unequal(virtualStages, uncut, counted)] })
  return stages({ virtualStages, stageLayers })

  function undivided(): string {
    if (ends.length === 0) return `${pipeline} stages do not divide the ${between} layers${counted}`
    return `${inside} stages do not divide the ${between} layers that the first and last stage leave them${counted}`
  }
}

/** Without virtual stages, layers and faults where nothing is said of them. */
function stages(said: Partial<Stages>): Stages {
  return { virtualStages: 1, stageLayers: null, faults: [], ...said }
}

/** Chunks of a stage are equal: names the numbers of them next to the one that is asked. Source: get_num_layers_to_build in megatron/core/transformer/transformer_block.py. */
function unequal(virtualStages: number, layers: number, counted: string): string {
  const legal = Array.from({ length: Math.min(layers, mostStages) }, (_, before) => before + 1).filter(
    (n) => layers % n === 0,
  )
  const near = compact(
    legal.findLast((n) => n < virtualStages),
    legal.find((n) => n > virtualStages),
  )
  const of = `--num-virtual-stages-per-pipeline-rank ${virtualStages}`
  return `${of} does not divide the ${layers} layers of a stage${counted}: the nearest that divide them are ${near.join(' and ')}`
}

/** Layout such as `Et*7|(t*8|)*14t*7L`: chunks in the order of the model (run/chunks.ts). */
function laidOut(layout: string, pipeline: number, layers: number | null): Stages {
  const of = `--pipeline-model-parallel-layout ${layout.slice(0, 100)}`
  const cells = expanded(layout)?.split('|')
  if (!cells || cells.length % pipeline !== 0) {
    return stages({ faults: [`${of} is not so many chunks of ${pipeline} stages`] })
  }
  const virtualStages = cells.length / pipeline
  const faults = misplaced(cells.join(''), layers).map((fault) => `${of} ${fault}`)
  if (faults.length > 0) return stages({ virtualStages, faults })
  const decoders = cells.map((cell) => cell.split('t').length - 1)
  return stages({ virtualStages, stageLayers: stageLayersOf(decoders, pipeline) })
}

/** What validate_layer_layout asserts of all chunks together. */
function misplaced(whole: string, layers: number | null): readonly string[] {
  const times = (letter: string) => whole.split(letter).length - 1
  const decoders = times('t')
  return compact(
    (!whole.startsWith('E') || times('E') > 1) && 'has to begin with E, the embedding, and have it once',
    (!whole.endsWith('L') || times('L') > 1) && 'has to end with L, the loss, and have it once',
    layers !== null && decoders !== layers && `has ${decoders} layers (t), the model has ${layers}`,
  )
}

/** Limit for a model with an unknown number of layers. */
const mostStages = 10_000

const longest = 20_000

/** Writes out all repetitions, first those of brackets, then those of letters; null if the text gets too long or is no layout. */
function expanded(layout: string): string | null {
  let text: string = layout.replaceAll(/[\s,]/g, '')
  if (text.length > longest) return null
  for (const pattern of [/\(([^()]*)\)(?:\*(\d+))?/, /([EtmL|])\*(\d+)/]) {
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      const [whole, part = '', times = '1'] = found
      if (part.length * Number(times) + text.length > longest) return null
      text = text.replace(whole, () => part.repeat(Number(times)))
    }
  }
  return /^[EtmL|]*$/.test(text) ? text : null
}
