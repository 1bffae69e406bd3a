/**
 * Numbers with bounds. Every number of a request has both ends, so that no product of a few of them overflows
 * and no list is longer than the work that it asks for is worth.
 */
import { z } from 'zod'

/** A whole number of things, at least one. */
export function count(most: number) {
  return z.int().min(1).max(most)
}

/** A whole number of things, none allowed. */
export function countOrNone(most: number) {
  return z.int().min(0).max(most)
}

/** A quantity of which there must be some: at least one unit. */
export function quantity(most: number) {
  return z.number().min(1).max(most)
}

export function seconds(most: number) {
  return z.number().min(0).max(most)
}

/** A time that something may take. */
export function duration() {
  return z.number().min(1e-9).max(1e6)
}

/** A share of something: more than nothing, at most all of it. */
export function share(tooLarge = 'is a share: at most 1') {
  return z.number().min(1e-6).max(1, tooLarge)
}

/** A share that may be nothing. */
export function shareOrNone() {
  return z.number().min(0).max(1, 'is a share: at most 1')
}

export function label(longest = 100) {
  return z.string().min(1).max(longest)
}

export const mostChips = 1e6
export const mostBatchTokens = 1e12
export const longestSequence = 1e9
