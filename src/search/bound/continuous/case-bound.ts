/**
 * One case of the continuous bound (search/bound/continuous-bound.ts), a ZeRO stage with a pipeline or without: makes its programme and reads
 * the solution back. In x_a = log2(size of axis a), what moves over a set of axes is a power of two of a linear expression, and so
 * is the part of it that leaves a unit of a network cut (network-cuts.ts); i_ac is log2 of the chips of axis a in one unit of cut c.
 *
 *   minimise   f + b + Σ_j e_j + bubble + update                                            in ms
 *   Σ_a x_a = log2 n,   0 <= i_ac <= x_a,   Σ_a i_ac <= log2 u_c
 *   move_jc  = bytes_j/n · (2^(Σ x - i) - 1) / rate_c,   x and i of the axes of flow j (unavoidable.ts)
 *   f >= compute,   f >= Σ_j o_j·move_jc of the forward windows, for every cut c;   b likewise
 *   e_j >= (1 - o_j)·move_jc, for every cut c                                         what may not overlap
 *   bubble >= (p - 1)/v · (compute of one sequence per replica),   v <= 8,   v <= (L + 2)/p     (bubble-part.ts)
 *   Σ bytes of states <= budget - reserve
 *
 * Where log2(1 - 1/s) is needed of an s that is at least 2, its chord stands for it: the function is concave, the chord
 * below it. By the envelope theorem the multipliers say how the bound changes with what their rows contain.
 */
import type { Point, Solver } from '../../../../solvers/linear-program.ts'
import type { CostModel } from '../../../cost/model.ts'
import { type Axis, axes } from '../../../sharding/axis.ts'
import type { Seconds } from '../../../units.ts'
import { bubblePart } from './bubble-part.ts'
import { sizeOf } from './leaving.ts'
import { type Case, meshPart } from './mesh-part.ts'
import { networkCuts } from './network-cuts.ts'
import { type Elasticities, joined, milliseconds, type Part, type Priced, resources } from './part.ts'
import { powerRounds } from './power-program.ts'
import { memoryPart, updatePart } from './states-part.ts'
import type { Unavoidable } from './unavoidable.ts'
import { exposedPart, windowPart } from './window-part.ts'

export interface CaseBound {
  readonly seconds: Seconds
  readonly at: Readonly<Record<Axis, number>>
  /** The rows that keep the step from being shorter. */
  readonly binding: readonly string[]
  readonly elasticities: Elasticities
}

/** Infeasible where nothing fits the case. */
export type CaseAnswer =
  | ({ readonly status: 'optimal' } & CaseBound)
  | { readonly status: 'infeasible' | 'unsolved' }

/** In rounds, of which each yields the bound so far. */
export function* caseRounds(
  model: CostModel,
  own: Case,
  work: Unavoidable,
  solver: Solver,
): Generator<Seconds, CaseAnswer> {
  const { stepOverhead } = model
  const { priced, ...program } = caseProgram(model, own, work)
  const secondsOf = (bound: number): Seconds => bound / milliseconds + stepOverhead
  const rounds = powerRounds(program, solver)
  let round = rounds.next()
  for (; !round.done; round = rounds.next()) yield secondsOf(round.value)
  const answer = round.value
  if (answer.status !== 'optimal') return answer
  const seconds = secondsOf(answer.bound)
  return { status: 'optimal', seconds, ...readCase(answer.point, seconds, priced) }
}

function caseProgram(model: CostModel, own: Case, work: Unavoidable): Part {
  const { cluster, assumptions } = model.problem
  const cuts = networkCuts(cluster, assumptions)
  const bubble = own.pipelined ? bubblePart(work, own, model) : null
  const { variables, rows, powers, priced } = joined([
    meshPart(own, cuts, cluster.chips),
    windowPart('forward', work, cuts, own, model),
    windowPart('backward', work, cuts, own, model),
    exposedPart(work.flows, cuts, own, model),
    updatePart(work.update, cluster.chips),
    memoryPart(work.states, model),
    ...(bubble ? [bubble] : []),
  ])
  const distinct = [...new Map(powers.map((power) => [power.name, power])).values()]
  const raised = distinct.map(({ name }) => ({ name, cost: 0 }))
  return { variables: [...raised, ...variables], rows, powers: distinct, priced }
}

function readCase(
  { values, duals = {} }: Point,
  seconds: Seconds,
  priced: readonly Priced[],
): Omit<CaseBound, 'seconds'> {
  const elasticity = (resource: keyof Elasticities): number =>
    priced.reduce((slope, { row, amount, shares }) => {
      return slope - ((duals[row] ?? 0) * amount(values) * (shares[resource] ?? 0)) / (seconds * milliseconds)
    }, 0)
  const sizes = axes.map((axis) => [axis, 2 ** (values[sizeOf(axis)] ?? 0)])
  return {
    at: Object.fromEntries(sizes) as CaseBound['at'],
    binding: [...new Set(priced.map(({ row }) => row))].filter((row) => Math.abs(duals[row] ?? 0) > 1e-6),
    elasticities: Object.fromEntries(resources.map((name) => [name, elasticity(name)])) as Elasticities,
  }
}
