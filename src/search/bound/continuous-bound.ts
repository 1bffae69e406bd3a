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
import { satisfies } from '../../constraint.ts'
import type { StageModel } from '../../cost/compile/stage-model.ts'
import type { CostModel } from '../../cost/model.ts'
import { remembered } from '../../known.ts'
import { type Axis, axes, type Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { zeroChoices } from '../layouts/choices.ts'
import { enumerateMeshes } from '../meshes/meshes.ts'
import { type CaseAnswer, type CaseBound, caseRounds } from './continuous/case-bound.ts'
import type { Case } from './continuous/mesh-part.ts'
import { unavoidable } from './continuous/unavoidable.ts'

export interface ContinuousBound extends Omit<CaseBound, 'seconds'> {
  readonly lowerBoundSeconds: Seconds
}

/** Taken off, so that rounding of doubles and the solver's tolerance never put the bound above what it bounds. */
const rounding = 1e-7

/**
 * Null when no mesh satisfies the request, or the solver cannot solve the programme. The case whose bound is the lowest so far goes on, so that
 * none is solved further than it takes to exclude it.
 */
export function continuousBound(model: CostModel, solver: Solver): ContinuousBound | null {
  // Of a ZeRO stage, with a pipeline and without.
  const workOf = remembered((stage: StageModel) => unavoidable(model, stage))
  const cases = casesOf(model).map((own): Solving => {
    const rounds = caseRounds(model, own, workOf(own.stage), solver)
    return { rounds, round: rounds.next() }
  })
  for (;;) {
    if (cases.some(({ round }) => round.done && round.value.status === 'unsolved')) return null
    const lowest = cases.reduce<Solving | null>(
      (least, one) => (least && !isLower(one, least) ? least : one),
      null,
    )
    if (!lowest) return null
    const { rounds, round } = lowest
    if (!round.done) lowest.round = rounds.next()
    else if (round.value.status !== 'optimal') return null
    else {
      const { seconds, at, binding, elasticities } = round.value
      return { lowerBoundSeconds: seconds * (1 - rounding), at, binding, elasticities }
    }
  }
}

/** A case, and how far it is solved. */
interface Solving {
  readonly rounds: ReturnType<typeof caseRounds>
  round: IteratorResult<Seconds, CaseAnswer>
}

/** Of equal bounds the one that is final is lower. */
function isLower(one: Solving, other: Solving): boolean {
  const [own, least] = [boundOf(one), boundOf(other)]
  return own < least || (own === least && one.round.done === true && !other.round.done)
}

function boundOf({ round }: Solving): Seconds {
  if (!round.done) return round.value
  return round.value.status === 'optimal' ? round.value.seconds : Number.POSITIVE_INFINITY
}

/** The cases, by ZeRO stage with a pipeline and without: the ranges of axis sizes and products over all meshes that may be run. */
export function casesOf(model: CostModel): readonly Case[] {
  const { problem, stages } = model
  const unpiped = stages.map((): Mesh[] => [])
  const pipelined = stages.map((): Mesh[] => [])
  for (const mesh of enumerateMeshes(problem).allowed) {
    const byStage = mesh.pipeline > 1 ? pipelined : unpiped
    for (const zeroStage of zeroChoices(mesh, problem)) byStage[zeroStage]?.push(mesh)
  }
  return [unpiped, pipelined].flatMap((byStage) =>
    stages.flatMap((stage): readonly Case[] => {
      if (!satisfies(stage.zeroStage, problem.constraints.zeroStage)) return []
      const meshes = byStage[stage.zeroStage] ?? []
      return meshes.length === 0 ? [] : [caseOf(stage, byStage === pipelined, meshes)]
    }),
  )
}

const together: readonly (readonly Axis[])[] = [
  ['tensor', 'tensor2'],
  ['data', 'fsdp'],
  ['data', 'fsdp', 'context'],
]

function caseOf(stage: StageModel, pipelined: boolean, meshes: readonly Mesh[]): Case {
  const range = (product: (mesh: Mesh) => number) => {
    let [least, most] = [Number.POSITIVE_INFINITY, 1]
    for (const mesh of meshes) {
      const size = product(mesh)
      if (size < least) least = size
      if (size > most) most = size
    }
    return { least, most }
  }
  const productOf = (over: readonly Axis[]) =>
    range((mesh) => {
      let size = 1
      for (const axis of over) size *= mesh[axis]
      return size
    })
  return {
    stage,
    pipelined,
    sizes: Object.fromEntries(axes.map((axis) => [axis, range((mesh) => mesh[axis])])) as Case['sizes'],
    products: together.map((over) => ({ over, ...productOf(over) })),
    sharded: meshes.every((mesh) => mesh.fsdp * mesh.context > 1),
  }
}
