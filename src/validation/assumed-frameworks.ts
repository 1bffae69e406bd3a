/**
 * Restricts a problem to the frameworks that are required to launch the plan, so that what the plan leaves open, and
 * the best plan to compare with, are theirs.
 */
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Requirements } from './check.ts'

export function forFrameworks<Asked extends { readonly assumptions: Assumptions }>(
  problem: Asked,
  { launchableBy = [] }: Requirements,
): Asked {
  const { assumptions } = problem
  const frameworks = assumptions.frameworks.filter((name) => launchableBy.includes(name))
  return frameworks.length > 0 ? { ...problem, assumptions: { ...assumptions, frameworks } } : problem
}
