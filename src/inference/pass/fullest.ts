/**
 * The passes of a server that is told the most tokens of a step: each of its groups of chips that have sequences of their own takes as many as
 * it may, whole prompts or a part of one.
 */
import type { Pass } from './pass.ts'

/** `most` tokens over all groups; where no pass keeps that, those with the fewest. */
export function fullestPasses(passes: readonly Pass[], most: number, groups: number): readonly Pass[] {
  const tokens = passes.map(({ shape, unitPositions }) => Math.ceil(shape.sequences / groups) * unitPositions)
  const within = tokens.filter((count) => count * groups <= most)
  const taken = within.length > 0 ? Math.max(...within) : Math.min(...tokens)
  return passes.filter((_, index) => tokens[index] === taken)
}
