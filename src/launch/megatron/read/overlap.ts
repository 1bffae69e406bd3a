/**
 * What communication a command of Megatron-LM hides, and how it is costed without these options:
 *
 *   --tp-comm-overlap           otherwise two of the five transfers of a layer's pair of matmuls run beside matmuls:
 *                               in the backward pass inputs are gathered again beside their gradients, and these are
 *                               scattered beside the weights', and no user buffers are in memory. If our own commands
 *                               would not have the option either, a note says so and the cost stays the plan's
 *   --sequence-parallel         otherwise results are reduced by an AllReduce, that of the backward pass beside the
 *                               weights' gradients, and each tensor rank keeps the whole residual stream
 *   --overlap-grad-reduce       otherwise gradients are reduced after the last backward pass, and weights gathered
 *                               before the next forward pass.
 *   --overlap-param-gather      As one constant says how much of these, of pipeline transfers and of ring exchanges is
 *                               hidden, a command with those only gets a note
 *
 * Source: as flags.ts, and of megatron/core distributed/distributed_data_parallel.py and tensor_parallel/layers.py
 * (LinearWithGradAccumulationAndAsyncCommunication.backward, d98e8a64dd; Transformer Engine's linear layers do the same).
 */
import { compact } from '../../../compact.ts'
import type { MegatronSaid } from '../settings.ts'

interface Laid {
  readonly tensor: number
  readonly pipeline: number
  readonly context: number
  /** Ranks that reduce gradients together. */
  readonly replicas: number
  readonly zeroStage: number
  /** Whether tensor ranks divide the residual stream along the sequence. */
  readonly sequenceParallel: boolean
}

export interface OverlapRead {
  /** Assumptions to use if the request has none of its own. */
  readonly costed: Readonly<Record<string, number | string | boolean>>
  /** For each of these assumptions, the missing options that cause it. */
  readonly lacking: Readonly<Record<string, readonly string[]>>
  readonly notes: readonly string[]
}

/** `userBuffers` says whether the GPUs support them. */
export function readOverlap(said: MegatronSaid, laid: Laid, userBuffers: boolean): OverlapRead {
  const [stream, tensor, data] = [
    wholeStream(laid),
    tensorOverlap(said, laid, userBuffers),
    dataOverlap(said, laid),
  ]
  return {
    costed: { ...stream.costed, ...tensor.costed, ...data.costed },
    lacking: { ...stream.lacking, ...tensor.lacking, ...data.lacking },
    notes: [...stream.notes, ...tensor.notes, ...data.notes],
  }
}

/** The fit to runs from before there were user buffers gives about the same: 0.5 (fixtures/stacks/megatron-a100.json). */
const besideGradients = { inSequence: 2 / 5, whole: 1 / 2 }

const nothing: OverlapRead = { costed: {}, lacking: {}, notes: [] }

const sequenceOption = '--sequence-parallel'

function wholeStream({ sequenceParallel }: Laid): OverlapRead {
  if (sequenceParallel) return nothing
  return {
    costed: { residual: 'whole' },
    lacking: { residual: [sequenceOption] },
    notes: [
      `without ${sequenceOption}: costed as if each tensor rank kept, normed and summed the whole residual stream (assumptions.residual whole)`,
    ],
  }
}

function tensorOverlap(
  said: MegatronSaid,
  { tensor, sequenceParallel }: Laid,
  userBuffers: boolean,
): OverlapRead {
  if (tensor === 1) return nothing
  const isKnown = userBuffers && !besideObstacle(said)
  if (said.overlapsTensor) {
    const uncounted = 'user buffers of --tp-comm-overlap are not counted where it is not known to run'
    return isKnown ? nothing : { ...nothing, notes: [uncounted] }
  }
  if (!isKnown) {
    return {
      ...nothing,
      notes: ['without --tp-comm-overlap: costed with, as plans are that it is not known to go with'],
    }
  }
  const hidden = sequenceParallel ? besideGradients.inSequence : besideGradients.whole
  // It goes only with a divided stream (numbers.ts).
  const lacking = compact(!sequenceParallel && sequenceOption, '--tp-comm-overlap')
  return {
    costed: { overlapCriticalPath: hidden, userBuffers: false },
    lacking: { overlapCriticalPath: lacking, userBuffers: lacking },
    notes: [
      `without --tp-comm-overlap: costed as if tensor parallelism hid only what it sends beside gradients (assumptions.overlapCriticalPath ${hidden})`,
    ],
  }
}

/** Conditions under which tensor-overlap.ts does not write the option either. */
function besideObstacle({ precision, recipe, fsdp, latent }: MegatronSaid): boolean {
  const half = precision.isBf16 || precision.isFp16
  return !half || recipe.graphs || recipe.beside || fsdp.isFsdp || latent.isLatent
}

function dataOverlap(said: MegatronSaid, { pipeline, context, replicas, zeroStage }: Laid): OverlapRead {
  const lacking = compact(
    !said.overlap.gradients && '--overlap-grad-reduce',
    !(said.overlap.weights || zeroStage === 0) && '--overlap-param-gather',
  )
  if (lacking.length === 0 || replicas * context === 1) return nothing
  const none = lacking.includes('--overlap-grad-reduce')
  const without = `without ${lacking.join(' and ')}`
  if (!none || pipeline * context > 1) {
    return { ...nothing, notes: [`${without}: costed with, as if it hid (assumptions.overlapPrefetched)`] }
  }
  return {
    costed: { overlapPrefetched: 0 },
    lacking: { overlapPrefetched: lacking },
    notes: [
      `${without}: costed as if gradients and weights were waited for (assumptions.overlapPrefetched 0)`,
    ],
  }
}
