/** Assumptions that follow from options of Megatron-LM, with notes on options that are costed differently from what they say. */
import { compact } from '../../../compact.ts'
import type { Fields } from '../../../fields.ts'
import type { Options } from '../../read/options.ts'
import { keepsRemainders } from '../moments.ts'

export function assumedOf(
  options: Options,
  model: Fields | null,
): {
  readonly assumptions: Readonly<Record<string, boolean>>
  readonly notes: readonly string[]
  readonly faults: readonly string[]
} {
  const host = onHost(options)
  const dispatcher = options.text('--moe-token-dispatcher-type') ?? 'allgather'
  const spread = (options.whole('--expert-model-parallel-size') ?? 1) > 1
  const assumptions = {
    ...(host.isAway ? { optimizerOnHost: true } : {}),
    ...(keepsRemainders(options) ? { masterRemainders: true } : {}),
    ...(spread && dispatcher !== 'allgather' ? { hierarchicalDispatch: dispatcher === 'flex' } : {}),
  }
  const notes = compact(
    options.text('--megatron-fsdp-grad-comm-dtype') === 'bf16' &&
      options.text('--megatron-fsdp-main-grads-dtype') !== 'bf16' &&
      '--megatron-fsdp-grad-comm-dtype bf16: gradients are counted as reduced in fp32, as they are kept',
    dropoutNotes(options),
    capacityNotes(options),
    layersOnHost(options),
    // "Keep the compute param in fp8 and perform the param all-gather in fp8" (megatron/training/arguments.py).
    ['--fp8-param-gather', '--fp4-param-gather'].flatMap((name) =>
      options.has(name)
        ? [
            `${name}: weights are counted as kept and gathered in bf16, where Megatron-Core keeps them narrower`,
          ]
        : [],
    ),
    options.has('--fp16') && '--fp16 is counted as --bf16, whose numbers are as wide',
    (options.has('--cuda-graph-impl') || options.has('--overlap-moe-expert-parallel-comm')) &&
      'CUDA graphs and what overlaps of the exchange of experts are counted as assumptions.expertRecipe has them, not as these options do',
    spread && dispatcher === 'allgather' && '--moe-token-dispatcher-type allgather is counted as an AllToAll',
    model &&
      !('vocab' in model) &&
      'the vocabulary is not said by --vocab-size: the model is that of the request',
  )
  return { assumptions, notes, faults: host.faults }
}

/** All states of the optimizer are on the host, or none: a fraction of the parameters is not counted. */
function onHost(options: Options): { readonly isAway: boolean; readonly faults: readonly string[] } {
  const option = '--optimizer-offload-fraction'
  const fraction = options.number(option) ?? 1
  if (!options.has('--optimizer-cpu-offload') || fraction === 0) return { isAway: false, faults: [] }
  const stays = `${Number((100 * (1 - fraction)).toFixed(1))}% of the optimizer's states stay on the GPUs`
  return {
    isAway: true,
    faults: fraction < 1 ? [`${option} ${fraction}: ${stays}, which is not counted: 0 and 1 are`] : [],
  }
}

/** Routing that a capacity bounds. Source: get_capacity in megatron/core/transformer/moe/moe_utils.py (d98e8a64dd). */
function capacityNotes(options: Options): readonly string[] {
  const option = '--moe-expert-capacity-factor'
  const factor = options.number(option)
  const padding = '--moe-pad-expert-input-to-capacity'
  const pads = options.has(padding)
  if (factor === null) return []
  const dropped = `${option} ${factor}: tokens beyond ${factor} times an expert's even share are dropped, where each expert is counted with that share`
  const padded = `; with ${padding} products, exchanges and activations of experts are ${factor} times what is counted`
  return [`${dropped}${pads && factor !== 1 ? padded : ''}`]
}

function layersOnHost(options: Options): readonly string[] {
  const option = '--cpu-offloading-num-layers'
  const layers = options.number(option) ?? 0
  return layers === 0
    ? []
    : [
        `${option} ${layers}: what these layers keep for the backward pass is counted on the GPUs, and no time for its way to the host and back`,
      ]
}

/** Only dropout that is given is noted: published commands leave the default of 0.1, which is passed over. */
function dropoutNotes(options: Options): readonly string[] {
  const stated = ['--hidden-dropout', '--attention-dropout'].flatMap((name) => {
    const share = options.text(name)
    return Number(share) > 0 ? [`${name} ${share}`] : []
  })
  return stated.length > 0
    ? [`${stated.join(' ')}: dropout is not counted, neither its time nor its masks`]
    : []
}
