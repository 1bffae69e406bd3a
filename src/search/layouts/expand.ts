/**
 * One mesh, searched through: every ZeRO stage, microbatch and schedule, each with its best cut into stages and memory
 * policy on its best placement. Layouts that are over the limit even on the best conceivable placement are dropped without being placed.
 */

import { setBatch, setMesh } from '../../cost/compile/term.ts'
import { reserveBytes } from '../../cost/memory/budget.ts'
import { activationsOf, type States, statesOf } from '../../cost/memory/memory-numbers.ts'
import { stageModel } from '../../cost/model.ts'
import { computeNumbers } from '../../cost/step/microbatch.ts'
import { canBePlaced } from '../../hardware/network/placement.ts'
import { known, once } from '../../known.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import { hasRoom } from '../bound/layout-floor.ts'
import { wholeWork, workFloor } from '../bound/work-floor.ts'
import { anyCuts, stageCuts, writtenCut } from '../stages/stage-cuts.ts'
import { placedCosts, type StageNumbers, stageNumbers } from '../stages/stage-numbers.ts'
import { noCounts } from '../tally.ts'
import type { OpenLayout } from './candidate.ts'
import {
  choiceAllowed,
  layoutCount,
  type Microbatching,
  microbatchChoices,
  scheduleChoices,
  zeroChoices,
} from './choices.ts'
import { type Choices, consider, type Expansion, mostOf, type Visit, type Workbench } from './consider.ts'

export function expandMesh(bench: Workbench, mesh: Mesh, limit: number, choices: Choices = {}): Expansion {
  const { model, scale } = bench
  const { problem } = model
  const { assumptions } = problem
  const found: Expansion = { best: null, nearest: null, ...noCounts() }
  const visit: Visit = { bench, mesh, limit, choices, found }
  if (choices.placements?.length === 0 || !canBePlaced(problem.cluster.network, mesh)) {
    found.topology = layoutCount(mesh, problem)
    return found
  }
  setMesh(scale, mesh, model.extents, assumptions)
  const costs = once(() => placedCosts(model, mesh, choices.placements))
  const states = new Map<ZeroStage, States>()
  const statesUnder = (zeroStage: ZeroStage) =>
    known(states, zeroStage, () => statesOf(model, stageModel(model, zeroStage), scale))
  // What does not fit is of no interest otherwise.
  const fitting = choices.nearest === false && !choices.overBudget && !choices.mix
  const reserve = reserveBytes(problem)
  const zeroStages = choices.zeroStages ?? zeroChoices(mesh, problem)
  for (const microbatching of choices.microbatchings ?? microbatchChoices(mesh, problem)) {
    const { microbatches, sequences } = microbatching
    const schedules = choices.schedules?.(microbatches) ?? scheduleChoices(mesh, problem, microbatches)
    if (bench.stop()) {
      found.unexamined += zeroStages.length * schedules.length
      continue
    }
    const within = mostOf(visit)
    const { floor } = choices
    const hopeful =
      floor && within < noLimit
        ? zeroStages.filter((stage) => floor(stage, microbatches) <= within)
        : zeroStages
    found.pruned += (zeroStages.length - hopeful.length) * schedules.length
    if (hopeful.length === 0) continue
    const open = schedules.map((schedule) => openLayouts(visit, microbatching, schedule, hopeful))
    const left = open.reduce((sum, { length }) => sum + length, 0)
    found.constraint += hopeful.length * schedules.length - left
    if (left === 0) continue
    setBatch(scale, sequences)
    const compute = once(() => computeNumbers(model, scale))
    const activations = once(() => activationsOf(model, scale))
    const stages = new Map<ZeroStage, StageNumbers>()
    const numbersOf = (zeroStage: ZeroStage) =>
      known(stages, zeroStage, () =>
        stageNumbers(model, scale, {
          zeroStage,
          compute: compute(),
          places: costs(),
          activations: activations(),
          states: statesUnder(zeroStage),
        }),
      )
    const fits = (layout: OpenLayout): boolean => {
      const { layer } = statesUnder(layout.zeroStage)
      const { kept } = activations().average
      return hasRoom(model, layout, { layer, shardsOptimizer: layout.zeroStage > 0, kept, reserve })
    }
    const work = once(() => wholeWork(model, compute()))
    schedules.forEach((schedule, at) => {
      const layouts = open[at] ?? []
      if (layouts.length === 0) return
      const most = mostOf(visit)
      if (most < noLimit && workFloor(work(), mesh.pipeline, schedule, microbatches) > most) {
        found.pruned += layouts.length
        return
      }
      const { stageLayers } = choices
      if (!stageLayers && !anyCuts(model, mesh.pipeline, schedule)) {
        found.divisibility += layouts.length
        return
      }
      const cuts = once(() =>
        stageLayers
          ? writtenCut(model, stageLayers, schedule, microbatches, compute())
          : stageCuts(model, mesh.pipeline, schedule, microbatches, compute()),
      )
      for (const layout of layouts) {
        if (bench.stop()) found.unexamined++
        else if (fitting && !fits(layout)) found.memory++
        else {
          const own = cuts()
          if (own) consider(visit, layout, own, numbersOf(layout.zeroStage))
        }
        if (!choices.each || !found.best) continue
        choices.each(found.best)
        found.best = null
      }
    })
  }
  return found
}

const noLimit = Number.POSITIVE_INFINITY

/**
 * One layout for each ZeRO stage that the request allows and that some framework runs; the
 * latter is not asked while the nearest misfit is looked for.
 */
function openLayouts(
  { bench, mesh, choices }: Visit,
  { microbatches, sequences }: Microbatching,
  schedule: Schedule,
  zeroStages: readonly ZeroStage[],
): readonly OpenLayout[] {
  const { model, accepts } = bench
  const { contextLayout, problem } = model
  const { cluster } = problem
  return zeroStages.flatMap((zeroStage) => {
    if (!choiceAllowed(problem.constraints, zeroStage, microbatches, schedule)) return []
    const layout: OpenLayout = { cluster, mesh, zeroStage, contextLayout, microbatches, sequences, schedule }
    return accepts && choices.nearest === false && !accepts.layout(layout) ? [] : [layout]
  })
}
