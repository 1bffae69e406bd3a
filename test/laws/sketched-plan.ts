/** A plan of an answer as one writes it down to have it evaluated: all that it chooses, or all but its memory policy. */

import type { InferencePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { InferenceSketch, PlanSketch } from '../../src/problem.ts'
import type { ScheduleName } from '../../src/recipe/schedules.ts'

export function sketchedPlan(plan: Plan): PlanSketch {
  return { ...sketchedLayout(plan), rematerialization: plan.rematerialization }
}

export function sketchedLayout({
  contextLayout,
  pipelineSchedule,
  mesh,
  placement,
  zeroStage,
  microbatches,
  virtualStages,
  stageLayers,
}: Plan): PlanSketch {
  return {
    ...{ mesh, placement, zeroStage, microbatches, virtualStages, stageLayers },
    pipelineSchedule: pipelineSchedule as ScheduleName,
    ...(contextLayout ? { contextLayout } : {}),
  }
}

export function sketchedPass({ mesh, placement, layout, microbatches }: InferencePlan): InferenceSketch {
  return { mesh, placement, microbatches, layout: layout.components }
}
