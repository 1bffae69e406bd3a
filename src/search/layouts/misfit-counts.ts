/**
 * What the layouts of a mesh count as where none of them fits: each is refused by a constraint, has too few layers for its stages, or is
 * over the budget. None of them is looked at for that.
 */
import { satisfies } from '../../constraint.ts'
import type { CostModel } from '../../cost/model.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import { anyCuts } from '../stages/stage-cuts.ts'
import type { Counts } from '../tally.ts'
import {
  byBatch,
  choiceAllowed,
  layoutCount,
  microbatchChoices,
  scheduleChoices,
  zeroChoices,
} from './choices.ts'

export function misfitCounts(
  model: CostModel,
  mesh: Mesh,
): Pick<Counts, 'constraint' | 'divisibility' | 'memory'> {
  const { problem } = model
  const stages = zeroChoices(mesh, problem).filter((stage) => satisfies(stage, problem.constraints.zeroStage))
  const [first] = stages
  const each = first === undefined ? none : allowedCounts(mesh, problem, () => countsOf(model, mesh, first))
  const [memory, divisibility] = [stages.length * each.cut, stages.length * each.uncut]
  return { constraint: layoutCount(mesh, problem) - memory - divisibility, divisibility, memory }
}

/** Layouts of one ZeRO stage that constraints allow: those that have layers enough for their stages, and the others. */
interface AllowedCounts {
  readonly cut: number
  readonly uncut: number
}

const none: AllowedCounts = { cut: 0, uncut: 0 }

const allowedCounts = byBatch<AllowedCounts>()

/** Every ZeRO stage that is allowed has as many. */
function countsOf(model: CostModel, mesh: Mesh, zeroStage: ZeroStage): AllowedCounts {
  const { problem } = model
  let [cut, uncut] = [0, 0]
  for (const { microbatches } of microbatchChoices(mesh, problem)) {
    for (const schedule of scheduleChoices(mesh, problem, microbatches)) {
      if (!choiceAllowed(problem.constraints, zeroStage, microbatches, schedule)) continue
      if (anyCuts(model, mesh.pipeline, schedule)) cut++
      else uncut++
    }
  }
  return { cut, uncut }
}
