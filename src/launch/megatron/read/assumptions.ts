/** Assumptions that follow from options of Megatron-LM, with notes on options that are costed differently from what they say. */
import { compact } from '../../../compact.ts'
import type { Fields } from '../../../fields.ts'
import type { WeightCopies } from '../../../recipe/weight-copies.ts'
import type { Options } from '../../read/options.ts'
import type { MegatronSaid } from '../settings.ts'
import { stateSettings } from '../states.ts'
import { keepsRemainders } from './moments.ts'

interface Assumed {
  readonly assumptions: Readonly<Record<string, boolean | string>>
  readonly notes: readonly string[]
  readonly uncounted: readonly string[]
}

export function assumedOf(options: Options, said: MegatronSaid, model: Fields | null): Assumed {
  const { dispatch, precision, recipe } = said
  const host = onHost(said)
  const dispatcher = dispatch.dispatcher ?? 'allgather'
  const spread = dispatch.expertRanks > 1
  const assumptions = {
    ...(host.isAway ? { optimizerOnHost: true } : {}),
    ...(keepsRemainders(said) ? { masterRemainders: true } : {}),
    ...copiesOf(said),
    ...(spread && dispatcher !== 'allgather' ? { hierarchicalDispatch: dispatcher === 'flex' } : {}),
  }
  const notes = compact(
    precision.sentGradients === 'bf16' &&
      precision.fsdpGradients !== 'bf16' &&
      '--megatron-fsdp-grad-comm-dtype bf16: gradients are counted as reduced in fp32, as they are kept',
    dropoutNotes(said),
    capacityNotes(options),
    layersOnHost(said),
    inputsOnHost(options),
    precision.isFp16 && '--fp16 is counted as --bf16, whose numbers are as wide',
    (recipe.graphs || recipe.beside) &&
      'CUDA graphs and what overlaps of the exchange of experts are counted as assumptions.expertRecipe has them, not as these options do',
    spread && dispatcher === 'allgather' && '--moe-token-dispatcher-type allgather is counted as an AllToAll',
    model &&
      !('vocab' in model) &&
      'the vocabulary is not said by --vocab-size: the model is that of the request',
  )
  return { assumptions, notes, uncounted: host.uncounted }
}

/** What is held of weights whose matmuls run in fewer bits. */
function copiesOf({ precision }: MegatronSaid): { readonly weightCopies?: WeightCopies } {
  if (precision.fp8Format === null && precision.fp4Format === null) return {}
  return { weightCopies: precision.fp8Gathered || precision.fp4Gathered ? 'instead' : 'beside' }
}

/** All states of the optimizer are on the host, or none: a fraction of the parameters is not counted. */
function onHost(said: MegatronSaid): { readonly isAway: boolean; readonly uncounted: readonly string[] } {
  const { isHost, share: fraction } = said.host
  if (!isHost || fraction === 0) return { isAway: false, uncounted: [] }
  const stays = `${Number((100 * (1 - fraction)).toFixed(1))}% of the optimizer's states stay on the GPUs`
  const option = stateSettings.host.rows.share.option
  return {
    isAway: true,
    uncounted: fraction < 1 ? [`${option} ${fraction}: ${stays}, which is not counted: 0 and 1 are`] : [],
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

function layersOnHost({ host: { layers } }: MegatronSaid): readonly string[] {
  const { option } = stateSettings.host.rows.layers
  return layers === 0
    ? []
    : [
        `${option} ${layers}: what these layers keep for the backward pass is counted on the GPUs, and no time for its way to the host and back`,
      ]
}

/** Inputs of modules that leave for the host. Source: core_v0.19.0, megatron/core/transformer/transformer_config.py, fine_grained_activation_offloading. */
function inputsOnHost(options: Options): string | null {
  const option = '--fine-grained-activation-offloading'
  if (!options.has(option)) return null
  const modules = options.given('--offload-modules') ?? []
  return `${[option, ...modules].join(' ')}: what these modules keep is counted on the GPUs, which takes more memory than the run, and no time for its way to the host and back`
}

/** Only dropout that is given is noted: published commands leave the default of 0.1, which is passed over. */
function dropoutNotes({ dropout, attentionDropout }: MegatronSaid): readonly string[] {
  const shares = [
    ['--hidden-dropout', dropout],
    ['--attention-dropout', attentionDropout],
  ]
  const stated = shares.filter(([, share]) => Number(share) > 0).map((own) => own.join(' '))
  return stated.length > 0
    ? [`${stated.join(' ')}: dropout is not counted, neither its time nor its masks`]
    : []
}
