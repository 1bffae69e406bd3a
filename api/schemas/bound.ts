/**
 * Numbers with bounds. Every number of a request is bounded on both sides, so that no product of a few of them
 * overflows, and no list asks for unreasonable work.
 */
import { z } from 'zod'

/** A whole number, at least 1. */
export function count(most: number) {
  return z.int().min(1).max(most)
}

/** A whole number, at least 0. */
export function countOrNone(most: number) {
  return z.int().min(0).max(most)
}

/** A real number, at least 1. */
export function quantity(most: number) {
  return z.number().min(1).max(most)
}

/** A real number, at least 0. */
export function amount(most: number) {
  return z.number().min(0).max(most)
}

/** A limit on a time, in seconds. */
export function duration() {
  return z.number().min(1e-9).max(1e6)
}

/** A fraction above 0, at most 1. */
export function share(tooLarge = 'is a fraction: at most 1') {
  return z.number().min(1e-6).max(1, tooLarge)
}

/** A fraction from 0 to 1. */
export function shareOrNone() {
  return z.number().min(0).max(1, 'is a fraction: at most 1')
}

export function label(longest = 100) {
  return z.string().min(1).max(longest)
}

export const mostChips = 1e6
export const mostBatchTokens = 1e12
export const longestSequence = 1e9
