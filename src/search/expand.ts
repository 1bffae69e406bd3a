/**
 * One mesh, searched through: every ZeRO stage, microbatch and schedule, each with its best cut into stages and memory
 * policy on its best placement. Layouts whose time on the best conceivable placement is over the limit are dropped unplaced.
 */

import { computeNumbers } from '../cost/microbatch.ts'
import { setBatch, setMesh } from '../cost/term.ts'
import { placements } from '../hardware/placement.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { OpenLayout } from './candidate.ts'
import { choiceAllowed, layoutCount, microbatchChoices, scheduleChoices, zeroChoices } from './choices.ts'
import { type Choices, consider, type Expansion, type Workbench } from './consider.ts'
import { stageCuts } from './stage-cuts.ts'
import { placedCosts, stageNumbers } from './stage-numbers.ts'

export function expandMesh(bench: Workbench, mesh: Mesh, limit: number, choices: Choices = {}): Expansion {
  const { model, scale } = bench
  const { problem } = model
  const { assumptions } = problem
  const found = nothingFound()
  const places = choices.placements ?? placements(problem.cluster.network, mesh)
  if (places.length === 0) {
    found.topology = layoutCount(mesh, problem)
    return found
  }
  setMesh(scale, mesh, model.extents, assumptions.tokensDivideFreely, assumptions.choicesApart)
  const costs = placedCosts(model, mesh, places)
  const zeroStages = choices.zeroStages ?? zeroChoices(mesh, problem)
  for (const microbatching of choices.microbatchings ?? microbatchChoices(mesh, problem)) {
    const schedules =
      choices.schedules?.(microbatching.microbatches) ??
      scheduleChoices(mesh, problem, microbatching.microbatches)
    if (bench.stop()) {
      found.unexamined += zeroStages.length * schedules.length
      continue
    }
    setBatch(scale, microbatching.sequences)
    const compute = computeNumbers(model, scale)
    const stages = zeroStages.map((zeroStage) => stageNumbers(model, scale, zeroStage, compute, costs))
    for (const schedule of schedules) {
      const allowed = stages.filter(({ stage }) =>
        choiceAllowed(problem.constraints, stage.zeroStage, microbatching.microbatches, schedule),
      )
      found.constraint += stages.length - allowed.length
      const cuts = stageCuts(model, mesh.pipeline, schedule, microbatching.microbatches, compute)
      if (!cuts) {
        found.divisibility += allowed.length
        continue
      }
      for (const numbers of allowed) {
        if (bench.stop()) {
          found.unexamined++
          continue
        }
        const { zeroStage } = numbers.stage
        const { contextLayout } = model
        const open: OpenLayout = { mesh, zeroStage, contextLayout, ...microbatching, schedule }
        consider(bench, open, cuts, numbers, limit, choices, found)
      }
    }
  }
  return found
}

function nothingFound(): Expansion {
  return {
    best: null,
    nearest: null,
    evaluated: 0,
    pruned: 0,
    memory: 0,
    constraint: 0,
    divisibility: 0,
    topology: 0,
    unexamined: 0,
  }
}
