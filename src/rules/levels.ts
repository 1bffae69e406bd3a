/**
 * Groups rules by the outermost search level at which everything they read is known: the first level that can test them.
 * Throws RangeError if a rule reads a part that no level binds: tables are code.
 */
import type { PartRule } from './part-rule.ts'

export function byLevel<Read, Part extends string>(
  rules: readonly PartRule<Read, Part>[],
  levels: readonly (readonly Part[])[],
): readonly (readonly PartRule<Read, Part>[])[] {
  const levelOf = ({ reads }: PartRule<Read, Part>) =>
    Math.max(0, ...reads.map((part) => boundAt(part, levels)))
  return levels.map((_, level) => rules.filter((rule) => levelOf(rule) === level))
}

function boundAt<Part extends string>(part: Part, levels: readonly (readonly Part[])[]): number {
  const level = levels.findIndex((bound) => bound.includes(part))
  if (level < 0) throw new RangeError(`No level binds ${part}`)
  return level
}
