/**
 * Requests per second that one instance sustains.
 *
 *   prefill     b / t                    b prompts take t together
 *   generate    B / (G·s + B·t/b)        B sequences, s seconds a token, G tokens a request; t/b only if it prefills too
 *   in time     (1 - s/T)·b / t          where prompts take so much of the time that the tokens of one sequence take T
 *
 * The first token counts as one of them too. If instances do only one of the two, the quotient is the book's number of
 * prefill instances for each generate instance, t·B/(s·G). Source: "How To Scale Your Model", Applied Inference.
 */
import type { Seconds } from '../../units.ts'

export function prefillCapacity(seconds: Seconds, prompts: number): number {
  return prompts / seconds
}

export function generateCapacity(
  batch: number,
  tokenSeconds: Seconds,
  outputLength: number,
  prefillSeconds: Seconds = 0,
): number {
  return batch / (outputLength * tokenSeconds + batch * prefillSeconds)
}

/**
 * No less than the rate of several sequences that keep the limit. It is the lesser where even one of them is late beside as many prompts as it makes
 * room for.
 */
export function capacityInTime(oneTokenSeconds: Seconds, limit: Seconds, prefillSeconds: Seconds): number {
  return (1 - oneTokenSeconds / limit) / prefillSeconds
}
