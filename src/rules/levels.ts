/** Groups rules by the outermost search level at which everything they read is known: the first level that can test them. */
import type { PartRule } from './part-rule.ts'

export function byLevel<Read, Part extends string>(
  rules: readonly PartRule<Read, Part>[],
  levels: readonly (readonly Part[])[],
): readonly (readonly PartRule<Read, Part>[])[] {
  const levelOf = ({ reads }: PartRule<Read, Part>) =>
    Math.max(0, ...reads.map((part) => levels.findIndex((bound) => bound.includes(part))))
  return levels.map((_, level) => rules.filter((rule) => levelOf(rule) === level))
}
