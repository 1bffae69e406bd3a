/** The pipeline stages that a torchtitan config describes. Source: as config.ts, generate_llm_fqn_per_model_part. */

import type { Keys } from '../../read/fields.ts'
import { stageLayersOf } from '../../run/chunks.ts'

export interface Stages {
  readonly virtualStages: number
  readonly stageLayers: readonly number[]
}

export interface Read<Value> {
  /** Null if the config leaves it open, so that the search chooses. */
  readonly value: Value | null
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

export const found = <Value>(value: Value): Read<Value> => ({ value, notes: [], faults: [] })
export const open = (...notes: readonly string[]): Read<never> => ({ value: null, notes, faults: [] })
const wrong = (...faults: readonly string[]): Read<never> => ({ value: null, notes: [], faults })

/** `layers` is null for a model that the config only names. */
export function readStages(
  keys: Keys,
  pipeline: number,
  layers: number | null,
  interleaved: boolean,
): Read<Stages> {
  const parts = keys.value('parallelism.module_fqns_per_model_part')
  const each = keys.value('parallelism.pipeline_parallel_layers_per_stage')
  const first = keys.whole('parallelism.pipeline_parallel_first_stage_less_layers', 1)
  const last = keys.whole('parallelism.pipeline_parallel_last_stage_less_layers', 1)
  if (pipeline === 1) return open()
  if (Array.isArray(parts)) return stagesOf(parts.map(layersNamed), pipeline)
  if (layers === null) return open('the stages of a model that the config only names are chosen')
  const effective = layers + first + last
  const count =
    typeof each === 'number' && each > 0 ? Math.ceil(effective / each) : pipeline * (interleaved ? 2 : 1)
  if (count > layers) return wrong(`${count} stages for ${layers} layers`)
  const [whole, longer] = [Math.floor(effective / count), effective % count]
  const chunks = Array.from({ length: count }, (_, chunk) => {
    const own = whole + (chunk < longer ? 1 : 0)
    return own - (chunk === 0 ? first : 0) - (chunk === count - 1 ? last : 0)
  })
  return stagesOf(chunks, pipeline)
}

function layersNamed(names: unknown): number {
  return Array.isArray(names) ? names.filter((name) => /^layers\./.test(String(name))).length : 0
}

function stagesOf(chunks: readonly number[], pipeline: number): Read<Stages> {
  const virtualStages = chunks.length / pipeline
  if (!Number.isInteger(virtualStages)) {
    return wrong(`${chunks.length} parts of the model are not so many for each of ${pipeline} stages`)
  }
  return found({ virtualStages, stageLayers: stageLayersOf(chunks, pipeline) })
}
