/** Finds what is wrong with a training layout that somebody wrote, with fixes that cause no new fault. */
import type { PlanSketch } from '../plan-sketch.ts'
import type { Problem } from '../problem.ts'
import { layoutRules } from './layout.ts'
import type { LayoutRead } from './layout-rule.ts'
import { meshAfter } from './mesh-ways.ts'
import { nextTo, type PartRule, type PlanFault, partFaults, type Way } from './part-rule.ts'

export function layoutFaults(problem: Problem, sketch: PlanSketch): readonly PlanFault[] {
  const read: LayoutRead = { problem, sketch }
  const broken: readonly PartRule<LayoutRead>[] = layoutRules.filter((rule) => rule.broken(read))
  const isLegal = (way: Way, rule: PartRule<LayoutRead>) => {
    const after = { problem, sketch: sketchAfter(sketch, way) }
    return layoutRules.every(
      (other: PartRule<LayoutRead>) => !other.broken(after) || (other !== rule && broken.includes(other)),
    )
  }
  const values: Readonly<Record<string, unknown>> = { ...sketch, ...sketch.mesh }
  return partFaults(layoutRules, read, isLegal).map((fault) =>
    nextTo(fault, values[fault.pointer.split('/').at(-1) ?? '']),
  )
}

/** Applies a way out to the plan. */
export function sketchAfter(sketch: PlanSketch, way: Way): PlanSketch {
  const fields = way.flatMap(({ pointer, value }) => {
    const [, , field = '', inside] = pointer.split('/')
    return inside === undefined ? [[field, value ?? undefined] as const] : []
  })
  return { ...sketch, ...Object.fromEntries(fields), mesh: meshAfter(sketch.mesh, way) }
}
