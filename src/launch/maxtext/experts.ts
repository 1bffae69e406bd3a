/**
 * How MaxText sends tokens to experts: one copy for each, in an AllToAll over its expert axis, whose ranks its tensor axis slices.
 * Source: as config.ts, and src/maxtext/layers/moe.py.
 */
import type { TokenDispatch } from '../run/experts.ts'

export const maxtextDispatch: TokenDispatch = {
  hasKernels: () => false,
  usesKernels: () => false,
  holds: 'sliced',
}
