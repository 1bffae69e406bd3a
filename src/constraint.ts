/** What a request demands of the sizes of a plan. */
import { type Axis, axes, type Mesh } from './sharding/axis.ts'

/** The values that a size may take: one number, one of several, or an inclusive range. */
export type Constraint = number | readonly number[] | { readonly min?: number; readonly max?: number }

/** `chips` constrains the number of chips that a plan uses; when absent, a plan uses any number up to all. */
export type Constraints = Readonly<
  Partial<Record<Axis | 'chips' | 'zeroStage' | 'microbatches' | 'virtualStages', Constraint>>
>

export function satisfies(value: number, constraint: Constraint | undefined): boolean {
  if (constraint === undefined) return true
  if (typeof constraint === 'number') return value === constraint
  if (isList(constraint)) return constraint.includes(value)
  return value >= (constraint.min ?? 0) && value <= (constraint.max ?? Number.POSITIVE_INFINITY)
}

/** Whether the axes of a mesh may be as long as they are; only those that are constrained at all are looked at. */
export function allowsMesh(constraints: Constraints): (mesh: Mesh) => boolean {
  const constrained = axes.filter((axis) => constraints[axis] !== undefined)
  return (mesh) => constrained.every((axis) => satisfies(mesh[axis], constraints[axis]))
}

/** The least number that satisfies a constraint. */
export function leastOf(constraint: Constraint): number {
  if (typeof constraint === 'number') return constraint
  return isList(constraint) ? Math.min(...constraint) : (constraint.min ?? 1)
}

/** The greatest number that satisfies a constraint. */
export function mostOf(constraint: Constraint): number {
  if (typeof constraint === 'number') return constraint
  return isList(constraint) ? Math.max(...constraint) : (constraint.max ?? Number.POSITIVE_INFINITY)
}

function isList(constraint: Constraint): constraint is readonly number[] {
  return Array.isArray(constraint)
}
