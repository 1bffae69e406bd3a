/**
 * Megatron-LM's pattern of layers that have a mixer alone or an MLP alone, as pretrain_hybrid.py trains them: a letter for each layer, `|`
 * between pipeline stages and their chunks, and behind each `/` a further layer that predicts a token. It takes the place of --num-layers and
 * of all options that cut stages. Source: as flags.ts, megatron/core/models/hybrid/hybrid_layer_allocation.py and
 * docs/user-guide/hybrid-model-migration.md (@d98e8a64dd); a recurrence has no option for the width of its convolution, which is 4.
 */
import { blockLetters, furtherBlocks } from '../../model/layer-pattern.ts'
import type { RecurrentMixer } from '../../model/recurrent-mixers.ts'
import { chunks } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import { counted, part, setting, whole, word } from '../settings/settings.ts'

/** Its letters for kinds of recurrences; others it does not have in a pattern. */
export const patternLetters: Readonly<Partial<Record<RecurrentMixer, string>>> = {
  'mamba-2': blockLetters.recurrent,
}

export const hybridConvolution = 4

export const hybridProgram = 'pretrain_hybrid.py'

/** Defaults of a recurrence are its own. */
export const hybridSettings = {
  pattern: setting('--hybrid-layer-pattern', patternOf, word, '--hybrid-override-pattern'),
  layersOf: part(patternOf, {
    spec: setting('--spec', () => ['megatron.core.models.hybrid.hybrid_layer_specs', 'hybrid_stack_spec']),
    isHybrid: setting('--is-hybrid-model', () => true),
  }),
  scan: part(({ model }: Run) => (model.layerPattern === undefined ? null : model.recurrence), {
    heads: setting('--mamba-num-heads', ({ heads }) => heads, whole),
    valueDim: setting('--mamba-head-dim', ({ valueDim }) => valueDim, counted(64)),
    keyHeads: setting('--mamba-num-groups', ({ keyHeads }) => keyHeads, counted(8)),
    keyDim: setting('--mamba-state-dim', ({ keyDim }) => keyDim, counted(128)),
  }),
}

function patternOf(run: Run): string | null {
  const { layerPattern, multiTokenLayers } = run.model
  return layerPattern === undefined
    ? null
    : cut(layerPattern, run) + `/${furtherBlocks}`.repeat(multiTokenLayers)
}

/** Whether the pattern says how stages are cut, which is part of the model and not of what a recipe overrides. */
export function cutsInPattern({ model, mesh }: Run): boolean {
  return model.layerPattern !== undefined && mesh.pipeline > 1
}

/** The pattern with a bar between chunks; without one where there is a single stage. */
function cut(layerPattern: string, run: Run): string {
  if (run.mesh.pipeline === 1) return layerPattern
  let from = 0
  return chunks(run)
    .map((layers) => {
      from += layers
      return layerPattern.slice(from - layers, from)
    })
    .join('|')
}
