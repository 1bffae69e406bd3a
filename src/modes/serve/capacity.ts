/**
 * Requests a second that one instance sustains.
 *
 *   prefill     b / t                    b prompts together take t
 *   generate    B / (G·s + B·t/b)        B sequences, a step of s seconds, G tokens a request; t/b where it prefills as well
 *
 * The first token counts as a step as well. Without prefills the quotient of the two is the book's number of prefill
 * instances to a generate instance, t·B/(s·G). Source: "How To Scale Your Model", Applied Inference.
 */
import type { Seconds } from '../../units.ts'

export function prefillCapacity(seconds: Seconds, prompts: number): number {
  return prompts / seconds
}

export function generateCapacity(
  batch: number,
  stepSeconds: Seconds,
  outputLength: number,
  prefillSeconds: Seconds = 0,
): number {
  return batch / (outputLength * stepSeconds + batch * prefillSeconds)
}
