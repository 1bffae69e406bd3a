/** Who is named to launch a plan is who will: what the plan leaves open, and the best that it is compared with, are of those frameworks. */
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
