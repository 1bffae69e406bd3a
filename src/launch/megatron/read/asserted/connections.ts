/**
 * Streams of kernels to a GPU: with several, those of a collective may start behind the matmul that should hide them. Megatron-LM
 * asserts that there is one where ranks share out tensors or positions, before Blackwell, and more than one where weights are gathered as
 * they are used, which has to run beside (NVIDIA/Megatron-LM d98e8a64dd, arguments.py, lines 1477, 1048 and 1166). A text that does not say
 * it may be started where it is set.
 */
import { scalesBlocks } from '../../../../hardware/peak.ts'
import type { ReadingContext } from '../../../read/reading.ts'
import type { MegatronSaid } from '../../settings.ts'

const connections = 'CUDA_DEVICE_MAX_CONNECTIONS'

/** What a text leaves to where it is started: images and clusters may set it. */
export function connectionsNote(
  variables: ReadonlyMap<string, readonly string[]>,
  said: MegatronSaid,
  chip: ReadingContext['chip'],
): string | null {
  if (variables.has(connections) || !wantsOne(said, chip)) return null
  return `${connections} is not set here: Megatron-LM takes 1 alone with tensor or context parallelism on GPUs before Blackwell, and stops where it is another`
}

/** Whether one stream is asserted. */
function wantsOne({ tensor, context, fsdp, recipe }: MegatronSaid, chip: ReadingContext['chip']): boolean {
  const peaks = chip?.peakFlopsPerSecond
  if ((tensor ?? 1) * (context ?? 1) <= 1 || fsdp.isFsdp || recipe.beside || !peaks) return false
  return !scalesBlocks({ peakFlopsPerSecond: peaks })
}

export function connectionsFault(
  variables: ReadonlyMap<string, readonly string[]>,
  given: MegatronSaid,
  chip: ReadingContext['chip'],
): string | null {
  const [told] = variables.get(connections) ?? []
  if (told === '1' && given.fsdp.isFsdp)
    return `Megatron-LM's FSDP takes ${connections} of more than 1, or none, and it is 1`
  if (told === undefined || told === '1' || /\D/.test(told) || !wantsOne(given, chip)) return null
  return `Megatron-LM takes ${connections}=1 alone with tensor or context parallelism on GPUs before Blackwell, and it is ${told}`
}
