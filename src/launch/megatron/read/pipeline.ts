/** The stages that Megatron-LM's options describe: equal ones, a first or last one that differs, or a layout string. Source: as pipeline.ts. */
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
  if (layout !== null) return laidOut(layout, pipeline)
  if (layers === null) return stages({ virtualStages: virtual ?? 1 })
  const ends = [first, last].filter((end) => end !== null)
  const inside = pipeline - ends.length
  const between = layers + embedding + loss - ends.reduce((sum, end) => sum + end, 0)
  // With two stages both may be given, so that none are in between.
  const each = inside === 0 && between === 0 ? (first ?? 0) : between / inside
  if (!Number.isInteger(each)) {
    const faults = [`${pipeline} stages do not divide the ${layers} layers`]
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
  return stages({ virtualStages, stageLayers })
}

/** Without virtual stages, layers and faults where nothing is said of them. */
function stages(said: Partial<Stages>): Stages {
  return { virtualStages: 1, stageLayers: null, faults: [], ...said }
}

/** Layout such as `Et*7|(t*8|)*14t*7L`: chunks in the order of the model (run/chunks.ts). */
function laidOut(layout: string, pipeline: number): Stages {
  const cells = expanded(layout)?.split('|')
  if (!cells || cells.length % pipeline !== 0) {
    const of = `--pipeline-model-parallel-layout ${layout.slice(0, 100)}`
    return stages({ faults: [`${of} is not so many chunks of ${pipeline} stages`] })
  }
  const layers = cells.map((cell) => cell.split('t').length - 1)
  return stages({
    virtualStages: cells.length / pipeline,
    stageLayers: stageLayersOf(layers, pipeline),
  })
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
