/** Warns of chips that no published run was compared with: neither their efficiencies nor the ranges of a plan are measured on them. */
import type { Setting } from '../../problem.ts'
import { generationOf } from './residuals.ts'

/** Null of the book's assumptions too, which were compared with no run of any chip. */
export function unmeasuredText({
  cluster,
  assumptions,
  residuals,
}: Pick<Setting, 'cluster' | 'assumptions' | 'residuals'>): string | null {
  if (!residuals || assumptions.basis === 'book' || generationOf(residuals, cluster.chip) !== null)
    return null
  return `no published run on ${cluster.chip.name} was at hand: times follow from its data sheet and from efficiencies that no run has confirmed, and ranges of uncertainty are those of runs on other chips`
}
