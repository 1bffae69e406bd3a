/**
 * One mesh, searched through: every ZeRO stage, microbatch and schedule, each with its best cut into stages and memory
 * policy on its best placement. Layouts that are over the limit even on the best conceivable placement are dropped without being placed.
 */

import { setBatch, setMesh } from '../../cost/compile/term.ts'
import { reserveBytes } from '../../cost/memory/budget.ts'
import { activationsOf, keptBytes, type States, statesOf } from '../../cost/memory/memory-numbers.ts'
import { stageModel } from '../../cost/model.ts'
import { type ComputeNumbers, computeNumbers } from '../../cost/step/microbatch.ts'
import { canBePlaced, liesAlike, type Placement } from '../../hardware/network/placement.ts'
import { known, once } from '../../known.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { hasRoom } from '../bound/layout-floor.ts'
import { wholeWork, workFloor } from '../bound/work-floor.ts'
import { type PlacedCosts, placedCosts } from '../stages/placed-costs.ts'
import { anyCuts, stageCuts, writtenCut } from '../stages/stage-cuts.ts'
import { type StageNumbers, stageNumbers } from '../stages/stage-numbers.ts'
import { noCounts } from '../tally.ts'
import type { AcceptsLayout, OpenLayout } from './candidate.ts'
import {
  layoutCount,
  type Microbatching,
  microbatchChoices,
  scheduleChoices,
  zeroChoices,
} from './choices.ts'
import { type Choices, consider, type Expansion, mostOf, type Visit, type Workbench } from './consider.ts'
import { openLayouts } from './open-layouts.ts'

export function expandMesh(bench: Workbench, mesh: Mesh, limit: number, choices: Choices = {}): Expansion {
  const { model, scale } = bench
  const { problem } = model
  const found: Expansion = { best: null, nearest: null, ...noCounts() }
  const visit: Visit = { bench, mesh, limit, choices, found }
  if (choices.placements?.length === 0 || !canBePlaced(problem.cluster.network, mesh)) {
    found.topology = layoutCount(mesh, problem)
    return found
  }
  setMesh(scale, mesh, model.extents, problem.assumptions)
  const ofMesh = meshNumbers(visit)
  // No framework is asked while the nearest misfit is looked for.
  const accepted = bench.accepts && choices.nearest === false ? (bench.accepts.mesh(mesh) ?? noLayout) : null
  const zeroStages = choices.zeroStages ?? zeroChoices(mesh, problem)
  for (const microbatching of choices.microbatchings ?? microbatchChoices(mesh, problem)) {
    const { microbatches } = microbatching
    const schedules = choices.schedules?.(microbatches) ?? scheduleChoices(mesh, problem, microbatches)
    if (bench.stop()) {
      found.unexamined += zeroStages.length * schedules.length
      continue
    }
    const hopeful = hopefulStages(visit, microbatches, zeroStages)
    found.pruned += (zeroStages.length - hopeful.length) * schedules.length
    if (hopeful.length === 0) continue
    const open = schedules.map((schedule) =>
      openLayouts({ model, mesh, accepted }, microbatching, schedule, hopeful),
    )
    const left = open.reduce((sum, { length }) => sum + length, 0)
    found.constraint += hopeful.length * schedules.length - left
    if (left === 0) continue
    const numbers = microbatchNumbers(visit, microbatching, ofMesh)
    schedules.forEach((schedule, at) => {
      expandSchedule(visit, schedule, microbatches, open[at] ?? [], numbers)
    })
  }
  return found
}

/** The ZeRO stages whose floor with so many microbatches is within what is still useful. */
function hopefulStages(
  visit: Visit,
  microbatches: number,
  zeroStages: readonly ZeroStage[],
): readonly ZeroStage[] {
  const { floor } = visit.choices
  const within = mostOf(visit)
  if (!floor || within === noLimit) return zeroStages
  return zeroStages.filter((stage) => floor(stage, microbatches) <= within)
}

/** The placements to look at; undefined for all that there are. */
function placementsFor(
  { accepts }: Workbench,
  mesh: Mesh,
  { placements: given }: Choices,
): readonly Placement[] | undefined {
  const own = accepts?.placements(mesh)
  if (!own) return given
  return given ? given.filter((one) => own.some((made) => liesAlike(made, one))) : own
}

/** What all layouts of a mesh share, made when it is first asked for. */
interface MeshNumbers {
  readonly costs: () => PlacedCosts
  readonly states: (zeroStage: ZeroStage) => States
}

function meshNumbers({ bench, mesh, choices }: Visit): MeshNumbers {
  const { model, scale } = bench
  const states = new Map<ZeroStage, States>()
  return {
    costs: once(() => placedCosts(model, mesh, placementsFor(bench, mesh, choices))),
    states: (zeroStage) =>
      known(states, zeroStage, () => statesOf(model, stageModel(model, zeroStage), scale)),
  }
}

/** What all layouts with microbatches of one size share. */
interface MicrobatchNumbers {
  readonly compute: () => ComputeNumbers
  /** Time of one microbatch through all stages. */
  readonly work: () => Seconds
  /** False when no cut of a layout fits, by its states and what its average layer keeps. */
  readonly fits: (layout: OpenLayout) => boolean
  readonly of: (zeroStage: ZeroStage) => StageNumbers
}

/** Leaves the batch in the scale. */
function microbatchNumbers(
  { bench: { model, scale } }: Visit,
  { sequences }: Microbatching,
  { costs, states }: MeshNumbers,
): MicrobatchNumbers {
  setBatch(scale, sequences)
  const compute = once(() => computeNumbers(model, scale))
  const activations = once(() => activationsOf(model, scale))
  // Most layouts that do not fit are known by this alone.
  const kept = once(() => keptBytes(model, scale))
  const reserve = reserveBytes(model.problem)
  const stages = new Map<ZeroStage, StageNumbers>()
  return {
    compute,
    work: once(() => wholeWork(model, compute())),
    fits: (layout) => {
      const { layer } = states(layout.zeroStage)
      return hasRoom(model, layout, { layer, shardsOptimizer: layout.zeroStage > 0, kept: kept(), reserve })
    },
    of: (zeroStage) =>
      known(stages, zeroStage, () =>
        stageNumbers(model, scale, {
          zeroStage,
          compute: compute(),
          places: costs(),
          activations: activations(),
          states: states(zeroStage),
        }),
      ),
  }
}

function expandSchedule(
  visit: Visit,
  schedule: Schedule,
  microbatches: number,
  layouts: readonly OpenLayout[],
  numbers: MicrobatchNumbers,
): void {
  if (layouts.length === 0) return
  const { bench, mesh, choices, found } = visit
  const { model } = bench
  const most = mostOf(visit)
  if (most < noLimit && workFloor(numbers.work(), mesh.pipeline, schedule, microbatches) > most) {
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
      ? writtenCut(model, stageLayers, schedule, microbatches, numbers.compute())
      : stageCuts(model, mesh.pipeline, schedule, microbatches, numbers.compute()),
  )
  // What does not fit is of no interest otherwise.
  const fitting = choices.nearest === false && !choices.overBudget && !choices.mix
  for (const layout of layouts) {
    if (bench.stop()) found.unexamined++
    else if (fitting && !numbers.fits(layout)) found.memory++
    else {
      const own = cuts()
      if (own) consider(visit, layout, own, numbers.of(layout.zeroStage))
    }
    if (!choices.each || !found.best) continue
    choices.each(found.best)
    found.best = null
  }
}

const noLimit = Number.POSITIVE_INFINITY

const noLayout: AcceptsLayout = () => false
