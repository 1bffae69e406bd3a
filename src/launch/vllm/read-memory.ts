/** What a share of memory that vLLM is told means. */
import type { ReadingContext } from '../read/reading.ts'
import type { ServerSaid } from '../server/server-said.ts'
import { type Profiled, vllmKeeps } from './memory.ts'

/** On GPUs it is known what vLLM keeps of its share; elsewhere the share is the budget. */
export function memoryOf(
  ofChip: number,
  profiled: Profiled,
  { chip, model }: ReadingContext,
): Pick<ServerSaid, 'cacheShare' | 'memoryFraction'> {
  if (chip?.kind !== 'gpu') return { memoryFraction: ofChip }
  return { cacheShare: { ofChip, ...(model ? { keptBytes: vllmKeeps(model, profiled) } : {}) } }
}
