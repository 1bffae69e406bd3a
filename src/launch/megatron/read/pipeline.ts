/** The stages that Megatron-LM's options describe: equal ones, a first or last one that differs, or a layout string. Source: as pipeline.ts. */
import { compact } from '../../../compact.ts'
import { stageLayersOf } from '../../run/chunks.ts'
import { pipelineSettings } from '../pipeline.ts'
import type { MegatronSaid } from '../settings.ts'
import { readPattern } from './layer-pattern.ts'
import { laidOut, layoutOption } from './layout.ts'
import type { Stages } from './stages.ts'

const { rows } = pipelineSettings.cuts
const perChunkOption = rows.perChunk.option
const virtualOption = rows.virtualStages.option

/** `isCut` says whether the options have all of the cut: a script or a recipe that gets them may add to it. */
export function readMegatronStages(said: MegatronSaid, layers: number | null, isCut = true): Stages {
  const { pipeline, cuts } = said
  const { perChunk, virtualStages: virtual, layout, first, last } = cuts
  // Without a model of its own a command may start a recipe that has such layers.
  const multiTokenLayers = said.layers === null ? null : (said.multiTokenLayers ?? 0)
  const typed = cuts.partition?.includes('embedding') ?? false
  const embedding = cuts.embedding || typed ? 1 : 0
  const loss = cuts.loss || typed ? 1 : 0
  const ways = compact(
    perChunk !== null && perChunkOption,
    virtual !== null && virtualOption,
    layout !== null && layoutOption,
  )
  if (ways.length > 1) return stages({ faults: [`Megatron-LM takes one of ${ways.join(' and ')}`] })
  const unlikeEnds = first !== null || last !== null
  if (perChunk !== null && unlikeEnds) {
    const why = `stages of unlike lengths have their chunks counted by ${virtualOption}`
    return stages({ faults: [`${perChunkOption} ${perChunk}: ${why}`] })
  }
  const pattern = readPattern(said)
  if (pipeline === 1) return stages({})
  if (pattern && pattern.chunks.length > 1) return inPattern(pattern.chunks, pipeline)
  const stagesOfAll = pipeline * (virtual ?? 1)
  if (stagesOfAll > (layers === null ? mostStages : layers + embedding + loss)) {
    return stages({ faults: [`${stagesOfAll} stages for ${layers ?? 'so few'} layers`] })
  }
  if (layout !== null) return laidOut(layout, pipeline, { layers, multiTokenLayers })
  if (layers === null) return stages({ virtualStages: virtual ?? 1 })
  const ends = [first, last].filter((end) => end !== null)
  const inside = pipeline - ends.length
  const between = layers + embedding + loss - ends.reduce((sum, end) => sum + end, 0)
  const ofEnds = compact(embedding > 0 && 'the embedding', loss > 0 && 'the loss').join(' and ')
  const counted = ofEnds && `, with ${ofEnds} counted as ${embedding + loss > 1 ? 'one each' : 'one'}`
  // With two stages both may be given, so that none are in between.
  const each = inside === 0 && between === 0 ? (first ?? 0) : between / inside
  if (!Number.isInteger(each)) {
    return uncut(undivided(), { virtualStages: virtual ?? 1 })
  }
  const stageLayers = Array.from({ length: pipeline }, (_, stage) => {
    if (stage === 0) return (first ?? each) - embedding
    return stage === pipeline - 1 ? (last ?? each) - loss : each
  })
  const virtualStages = virtual ?? (perChunk === null ? 1 : each / perChunk)
  if (!Number.isInteger(virtualStages)) {
    return uncut(`${perChunkOption} ${perChunk} does not divide the ${each} layers of a stage${counted}`, {
      stageLayers,
    })
  }
  const odd = [...ends, ...(inside > 0 ? [each] : [])].find((count) => count % virtualStages !== 0)
  if (odd !== undefined) {
    return uncut(unequal(virtualStages, odd, counted), isCut ? { stageLayers } : { virtualStages })
  }
  return stages({ virtualStages, stageLayers })

  function uncut(fault: string, otherwise: Partial<Stages>): Stages {
    if (isCut) return stages({ ...otherwise, faults: [fault] })
    const { virtualStages } = otherwise
    return stages({ ...(virtualStages && { virtualStages }), notes: [`${fault}: ${elsewhere}`] })
  }

  function undivided(): string {
    if (ends.length === 0) return `${pipeline} stages do not divide the ${between} layers${counted}`
    return `${inside} stages do not divide the ${between} layers that the first and last stage leave them${counted}`
  }
}

const elsewhere = 'how what they go to cuts them is not here, so that the cut is chosen'

/** Chunks as the bars of a pattern of layers cut them. */
function inPattern(chunks: readonly number[], pipeline: number): Stages {
  if (chunks.length % pipeline === 0) {
    return stages({ virtualStages: chunks.length / pipeline, stageLayers: stageLayersOf(chunks, pipeline) })
  }
  return stages({
    faults: [`--hybrid-layer-pattern has ${chunks.length} segments, which ${pipeline} stages do not divide`],
  })
}

/** Without virtual stages, layers, notes and faults where nothing is said of them. */
function stages(said: Partial<Stages>): Stages {
  return { virtualStages: 1, stageLayers: null, notes: [], faults: [], ...said }
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
  const of = `${virtualOption} ${virtualStages}`
  return `${of} does not divide the ${layers} layers of a stage${counted}: the nearest that divide them are ${near.join(' and ')}`
}

/** Limit for a model with an unknown number of layers. */
const mostStages = 10_000
