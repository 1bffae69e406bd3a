/**
 * Megatron-LM's pattern of layers that have a mixer alone or an MLP alone, as pretrain_hybrid.py trains them: a letter for each layer, `|`
 * between pipeline stages and their chunks, and behind each `/` a further layer that predicts a token. It takes the place of --num-layers and
 * of all options that cut stages. Source: as flags.ts, megatron/core/models/hybrid/hybrid_layer_allocation.py and
 * docs/user-guide/hybrid-model-migration.md (@d98e8a64dd); a recurrence has no option for the width of its convolution, which is 4.
 */
import { blockLetters, furtherBlocks } from '../../model/layer-pattern.ts'
import type { RecurrentMixer } from '../../model/recurrent-mixers.ts'
import type { Transformer } from '../../model/transformer.ts'
import { chunks } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'

/** Its letters for kinds of recurrences; others it does not have in a pattern. */
export const patternLetters: Readonly<Partial<Record<RecurrentMixer, string>>> = {
  'mamba-2': blockLetters.recurrent,
}

export const hybridConvolution = 4

export const hybridProgram = 'pretrain_hybrid.py'

export function hybridFlags(run: Run): readonly Word[] {
  const { layerPattern, recurrence, multiTokenLayers } = run.model
  if (layerPattern === undefined) return []
  return [
    ...['--hybrid-layer-pattern', cut(layerPattern, run) + `/${furtherBlocks}`.repeat(multiTokenLayers)],
    ...['--spec', 'megatron.core.models.hybrid.hybrid_layer_specs', 'hybrid_stack_spec', '--is-hybrid-model'],
    ...(recurrence ? ofRecurrence(recurrence) : []),
  ]
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

function ofRecurrence({
  heads,
  keyHeads,
  keyDim,
  valueDim,
}: NonNullable<Transformer['recurrence']>): readonly Word[] {
  return [
    ...['--mamba-num-heads', heads, '--mamba-head-dim', valueDim],
    ...['--mamba-num-groups', keyHeads, '--mamba-state-dim', keyDim],
  ]
}
