/**
 * How MaxText sends tokens to experts: one copy for each, in an AllToAll over its expert axis, whose ranks its tensor axis slices.
 * Source: as config.ts, and src/maxtext/layers/moe.py.
 */
import { mostOverEven } from '../../cost/compile/term.ts'
import { threeFigures } from '../../plan/explain/figures.ts'
import type { TokenDispatch } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import type { MaxtextConfig } from './keys.ts'

/** The room for what a chip's experts are sent, where the plan has some other than for the most that can come, which is the default. */
export function bufferKeys({ mesh, problem }: Run): MaxtextConfig {
  const { expertBufferFactor: factor } = problem.assumptions
  return mesh.expert > 1 && factor > 0 ? { ragged_buffer_factor: factor } : {}
}

/** What that costs: memory, or tokens. */
export function bufferNote({ mesh: { expert }, model: { experts }, problem }: Run): string | null {
  if (expert === 1 || !experts) return null
  const { expertBufferFactor: factor } = problem.assumptions
  const most = threeFigures(mostOverEven(expert, experts.experts, experts.activeExperts))
  return factor > 0
    ? `MaxText: a chip drops what its experts are sent beyond ${factor} times an even share (ragged_buffer_factor); with assumptions.expertBufferFactor 0 nothing is dropped, and there is room for ${most} times as much.`
    : `MaxText: a chip has room for ${most} times an even share of what its experts are sent, so that nothing is dropped; with assumptions.expertBufferFactor 2 the command has ragged_buffer_factor=2, which takes less memory and drops what is beyond.`
}

export const maxtextDispatch: TokenDispatch = {
  hasKernels: () => false,
  usesKernels: () => false,
  holds: 'sliced',
}
