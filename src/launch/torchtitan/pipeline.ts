/**
 * torchtitan's keys for a pipeline. It divides layers evenly over all chunks, counting embedding and loss as some
 * layers of the first and the last; other divisions are listed by module names. Source: as config.ts.
 */
import { compact } from '../../compact.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import { chunks, interiorLayers } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import type { TomlValue } from './toml.ts'

export const torchtitanSchedules: Readonly<Record<string, string>> = {
  gpipe: 'GPipe',
  '1f1b': '1F1B',
  'interleaved-1f1b': 'Interleaved1F1B',
} satisfies Partial<Record<ScheduleName, string>>

/** Schedules that need at least one microbatch for each stage. */
export const wholeStages: readonly ScheduleName[] = ['1f1b']

/** Reasons for schedules of which PyTorch has a similar one. */
export const otherSchedules: Readonly<Partial<Record<ScheduleName, string>>> = {
  'zb-h1':
    "PyTorch's zero-bubble schedules (InterleavedZeroBubble, ZBVZeroBubble) have two stages a rank or more, ZB-H1 one",
  dualpipe: 'PyTorch has DualPipeV, which folds DualPipe onto half of the ranks, not DualPipe itself',
}

export function torchtitanPipeline(run: Run): Readonly<Record<string, TomlValue>> {
  if (run.mesh.pipeline === 1) return {}
  return {
    pipeline_parallel_schedule: torchtitanSchedules[run.schedule.name] ?? '',
    pipeline_parallel_microbatch_size: run.microbatch,
    ...partition(chunks(run)),
  }
}

function partition(layers: readonly number[]): Readonly<Record<string, TomlValue>> {
  const interior = interiorLayers(layers)
  const [first = 0] = layers
  const last = layers.at(-1) ?? 0
  if (interior === null || first > interior || last > interior) {
    return { module_fqns_per_model_part: moduleNames(layers) }
  }
  return {
    pipeline_parallel_layers_per_stage: interior,
    pipeline_parallel_first_stage_less_layers: interior - first,
    pipeline_parallel_last_stage_less_layers: interior - last,
  }
}

function moduleNames(layers: readonly number[]): readonly (readonly string[])[] {
  let next = 0
  return layers.map((count, chunk) => {
    const own = Array.from({ length: count }, (_, index) => `layers.${next + index}`)
    next += count
    return compact(chunk === 0 && 'tok_embeddings', own, chunk === layers.length - 1 && ['norm', 'output'])
  })
}
