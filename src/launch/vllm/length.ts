/** What vLLM is told of lengths (--max-model-len). */
import type { Serving } from '../server/serving.ts'

/** A prompt needs room for one token of output. */
export function lengthOf({ mode, contextLength }: Pick<Serving, 'mode' | 'contextLength'>): number {
  return contextLength + (mode === 'prefill' ? 1 : 0)
}
