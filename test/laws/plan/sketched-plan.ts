/** Turns a plan of an answer into a written one for evaluation: with all its choices, or without its memory policy. */

import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { InferenceSketch, PlanSketch } from '../../../src/plan-sketch.ts'
import type { ScheduleName } from '../../../src/recipe/schedules.ts'

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
