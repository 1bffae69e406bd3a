/** What a rule of a written training layout may look at. */
import type { PlanSketch } from '../plan-sketch.ts'
import { type Problem, wholeSequences } from '../problem.ts'
import { replicasOf } from '../sharding/axis.ts'
import type { PartRule } from './part-rule.ts'

export interface LayoutRead {
  readonly problem: Problem
  readonly sketch: PlanSketch
}

/** The parts of a written layout. */
export type LayoutPart = keyof PlanSketch

export type LayoutRule = PartRule<LayoutRead, LayoutPart>

/** Sequences of the batch per replica, rounded up to whole ones. */
export function sequencesEach({ workload }: Problem, { mesh }: PlanSketch): number {
  return Math.ceil(wholeSequences(workload) / replicasOf(mesh))
}

export function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
