/**
 * What of its communication a command of Megatron-LM hides, and how it is costed where it asks for none:
 *
 *   --tp-comm-overlap           else what tensor parallelism sends is waited for, as it was on all fit rows of Megatron-LM before its user buffers
 *                               (fixtures/stacks/megatron-a100.json); where no plan has it written it is told alone, so that a plan's command is costed as it is
 *   --overlap-grad-reduce       else gradients are reduced after the last backward pass, and weights gathered before the next forward one.
 *   --overlap-param-gather      What hides of these is one share with the exchange of a pipeline and a ring, so that beside those they are told, and no more
 *
 * Source: as flags.ts, and megatron/core/distributed/distributed_data_parallel.py.
 */
import type { Options } from '../read/options.ts'

interface Laid {
  readonly tensor: number
  readonly pipeline: number
  readonly context: number
  /** Ranks that share gradients. */
  readonly replicas: number
  readonly zeroStage: number
}

export interface OverlapRead {
  /** Assumptions, where the request has none of its own. */
  readonly costed: Readonly<Record<string, number>>
  /** Options for want of which each of them is so. */
  readonly lacking: Readonly<Record<string, readonly string[]>>
  readonly notes: readonly string[]
}

/** `userBuffers` is whether the GPUs have any. */
export function readOverlap(options: Options, laid: Laid, userBuffers: boolean): OverlapRead {
  const [tensor, data] = [tensorOverlap(options, laid, userBuffers), dataOverlap(options, laid)]
  return {
    costed: { ...tensor.costed, ...data.costed },
    lacking: { ...tensor.lacking, ...data.lacking },
    notes: [...tensor.notes, ...data.notes],
  }
}

const nothing: OverlapRead = { costed: {}, lacking: {}, notes: [] }

function tensorOverlap(options: Options, { tensor }: Laid, userBuffers: boolean): OverlapRead {
  if (options.has('--tp-comm-overlap') || tensor === 1) return nothing
  if (!userBuffers || besideObstacle(options)) {
    return {
      ...nothing,
      notes: ['without --tp-comm-overlap: costed with, as plans are that it is not known to go with'],
    }
  }
  return {
    costed: { overlapCriticalPath: 0 },
    lacking: { overlapCriticalPath: ['--tp-comm-overlap'] },
    notes: [
      'without --tp-comm-overlap: costed as if all that tensor parallelism sends were waited for (assumptions.overlapCriticalPath 0)',
    ],
  }
}

/** As tensor-overlap.ts has them: no plan has it written there, whatever is counted. */
function besideObstacle(options: Options): boolean {
  const half = options.has('--bf16') || options.has('--fp16')
  const graphs = options.has('--cuda-graph-impl') || options.has('--overlap-moe-expert-parallel-comm')
  const sharded = options.has('--use-megatron-fsdp', '--use-custom-fsdp')
  return !half || graphs || sharded || options.has('--multi-latent-attention')
}

function dataOverlap(options: Options, { pipeline, context, replicas, zeroStage }: Laid): OverlapRead {
  const lacking = [
    ...(options.has('--overlap-grad-reduce') ? [] : ['--overlap-grad-reduce']),
    ...(options.has('--overlap-param-gather') || zeroStage === 0 ? [] : ['--overlap-param-gather']),
  ]
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
