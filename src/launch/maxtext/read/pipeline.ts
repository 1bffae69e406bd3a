/**
 * What is counted otherwise of MaxText's circular pipeline. Each of p stages takes its layers in several repeats, and waits for p - 1
 * turns of one of them: the bubble is (p - 1) / (repeats x microbatches + p - 1) of a pass, where with one repeat it would be
 * (p - 1) / (microbatches + p - 1). Without a key each repeat has one layer. Source: as ../config.ts, src/maxtext/layers/pipeline.py.
 */
import type { Keys } from '../../read/fields.ts'

interface Circle {
  readonly stages: number
  /** Microbatches that go round in one pass. */
  readonly turns: number
  /** Of the model; null if they are not known yet. */
  readonly layers: number | null
}

export function pipelineNote(keys: Keys, { stages, turns, layers }: Circle): string | null {
  const repeats = repeatsOf(keys, stages, layers)
  if (stages === 1 || repeats === 1) return null
  const counted = 'num_pipeline_repeats: the circular pipeline is counted with one repeat'
  if (repeats === null) return counted
  const share = (times: number) => {
    const waits = stages - 1
    return `${Number(((100 * waits) / (times * turns + waits)).toPrecision(2))} %`
  }
  return `${counted}, where its ${stages} stages have ${repeats}: the bubble is counted as ${share(1)} of a pass instead of ${share(repeats)}`
}

/** Null if what is said does not make whole repeats, or is not all that it takes. */
function repeatsOf(keys: Keys, stages: number, layers: number | null): number | null {
  const said = keys.number('num_pipeline_repeats', -1)
  const each = keys.number('num_layers_per_pipeline_stage', 1)
  const repeats = said > 0 ? said : (layers ?? 0) / (stages * each)
  return Number.isInteger(repeats) && repeats > 0 ? repeats : null
}
