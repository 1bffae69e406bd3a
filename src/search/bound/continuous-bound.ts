/**
 * The continuous bound: the best step time that any mesh of real-valued sizes could reach under the book's rooflines, and so
 * a lower bound on every layout that the search may return (formulas 18). There is a programme for each ZeRO stage, with
 * a pipeline and without (continuous/case-bound.ts); the bound is the least of their results. What every layout does, whatever its
 * microbatch, schedule, placement and policy, is in continuous/unavoidable.ts.
 *
 * Left out, so that the bound is below what can be reached: latencies, transfers between stages, working sets,
 * activations in memory, small batches that wait for HBM, padding, and that sizes are whole.
 */
import type { Solver } from '../../../solvers/linear-program.ts'
import type { StageModel } from '../../cost/compile/stage-model.ts'
import type { CostModel } from '../../cost/model.ts'
import { satisfies } from '../../problem.ts'
import { type Axis, axes, type Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { zeroChoices } from '../layouts/choices.ts'
import { enumerateMeshes } from '../meshes/meshes.ts'
import { type CaseBound, caseBound } from './continuous/case-bound.ts'
import type { Case } from './continuous/mesh-part.ts'

export interface ContinuousBound extends Omit<CaseBound, 'seconds'> {
  readonly lowerBoundSeconds: Seconds
}

/** Taken off, so that rounding of doubles and the solver's tolerance never put the bound above what it bounds. */
const rounding = 1e-7

/** Null when no mesh satisfies the request, or the solver cannot solve the programme. */
export function continuousBound(model: CostModel, solver: Solver): ContinuousBound | null {
  let best: CaseBound | null = null
  for (const own of casesOf(model)) {
    const answer = caseBound(model, own, solver, best?.seconds ?? Number.POSITIVE_INFINITY)
    if (answer.status === 'unsolved') return null
    if (answer.status === 'optimal' && answer.seconds < (best?.seconds ?? Number.POSITIVE_INFINITY))
      best = answer
  }
  if (!best) return null
  const { seconds, at, binding, elasticities } = best
  return { lowerBoundSeconds: seconds * (1 - rounding), at, binding, elasticities }
}

/** The cases, by ZeRO stage with a pipeline and without: the ranges of axis sizes and products over all meshes that may be run. */
export function casesOf(model: CostModel): readonly Case[] {
  const { problem, stages } = model
  const { allowed } = enumerateMeshes(problem)
  // Starts with the stage that shards most, which fits best: its bound then cuts the others short.
  const descending = [...stages].sort((a, b) => b.zeroStage - a.zeroStage)
  return [false, true].flatMap((pipelined) =>
    descending.flatMap((stage): readonly Case[] => {
      const { zeroStage } = stage
      if (!satisfies(zeroStage, problem.constraints.zeroStage)) return []
      const meshes = allowed.filter(
        (mesh) => mesh.pipeline > 1 === pipelined && zeroChoices(mesh, problem).includes(zeroStage),
      )
      return meshes.length === 0 ? [] : [caseOf(stage, pipelined, meshes)]
    }),
  )
}

const together: readonly (readonly Axis[])[] = [
  ['tensor', 'tensor2'],
  ['data', 'fsdp'],
  ['data', 'fsdp', 'context'],
]

function caseOf(stage: StageModel, pipelined: boolean, meshes: readonly Mesh[]): Case {
  const range = (product: (mesh: Mesh) => number) =>
    meshes
      .map(product)
      .reduce(({ least, most }, size) => ({ least: Math.min(least, size), most: Math.max(most, size) }), {
        least: Number.POSITIVE_INFINITY,
        most: 1,
      })
  const productOf = (over: readonly Axis[]) =>
    range((mesh) => over.reduce((size, axis) => size * mesh[axis], 1))
  return {
    stage,
    pipelined,
    sizes: Object.fromEntries(axes.map((axis) => [axis, range((mesh) => mesh[axis])])) as Case['sizes'],
    products: together.map((over) => ({ over, ...productOf(over) })),
    sharded: meshes.every((mesh) => mesh.fsdp * mesh.context > 1),
  }
}
