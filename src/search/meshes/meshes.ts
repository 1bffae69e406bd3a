/**
 * Every mesh: all ways to write the number of chips as an ordered product of seven axes, and which of them break no rule
 * (formulas 17). A rule is asked as soon as the axes that it reads are bound, and all meshes with those axes are left out when they
 * break it. Those are counted, not built: the number of ordered products is known,
 *
 *   for n = Π p^e:   Π C(e + 6, 6)
 */

import { concatenated } from '../../concatenated.ts'
import { allowsMesh } from '../../constraint.ts'
import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import { type Problem, wholeSequences } from '../../problem.ts'
import { byLevel } from '../../rules/levels.ts'
import type { MeshPart, MeshQuestion, MeshRule } from '../../rules/mesh-question.ts'
import { chipsToUse, trainedMeshRules } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { type Axis, axes, type Mesh } from '../../sharding/axis.ts'
import { zeroChoices } from '../layouts/choices.ts'
import { spread } from '../spread.ts'
import { sameMesh } from './same-mesh.ts'

export interface Meshes {
  /** Number of all ordered products. */
  readonly total: number
  /** Meshes that are legal, and allowed by the request. */
  readonly allowed: readonly Mesh[]
  readonly constrained: number
  readonly indivisible: number
  /** Meshes that were not listed because the time was over; of what kind they are is not known. */
  readonly unseen: number
}

/** What the rules of meshes ask about a training request. */
export function trainedQuestion(problem: Problem): MeshQuestion {
  const { model, workload, assumptions } = problem
  const { batchTokens, sequenceLength } = workload
  return {
    model,
    chips: chipsToUse(problem),
    positions: sequenceLength,
    sequences: wholeSequences(workload),
    freeTokens: assumptions.tokensDivideFreely ? batchTokens : null,
    padsHeads: false,
    hosts: null,
  }
}

/**
 * Kept for each problem, which asks for its meshes with each cost model, its bound and its suggestions: they are listed once,
 * as far as the first call had time.
 */
export function enumerateMeshes(problem: Problem, stop: Stop = never): Meshes {
  return known(listed, problem, () => listedMeshes(trainedSpace(problem), stop))
}

const listed = new WeakMap<Problem, Meshes>()

function trainedSpace(problem: Problem): MeshSpace {
  const allows = allowsMesh(searchedConstraints(problem))
  return {
    chips: problem.cluster.chips,
    rules: trainedMeshRules,
    question: trainedQuestion(problem),
    unused: problem.model.experts ? [] : ['expert'],
    wanted: (mesh) => allows(mesh) && zeroChoices(mesh, problem).length > 0,
  }
}

export interface MeshSpace {
  readonly chips: number
  readonly rules: readonly MeshRule[]
  readonly question: MeshQuestion
  /** Axes for which rules allow only the size 1, so that other sizes are not even tried. */
  readonly unused: readonly Axis[]
  /** Whether the request and the assumptions allow a mesh. */
  readonly wanted: (mesh: Mesh) => boolean
}

/** The axes in the order in which they are bound, from the outside in. The others leave so many replicas before it is said which are fsdp. */
const levels: readonly (readonly MeshPart[])[] = [
  ['pipeline', 'tensor', 'tensor2'],
  ['context'],
  ['expert', 'replicas'],
  ['fsdp', 'data'],
]

export function listedMeshes({ chips, rules, question, unused, wanted }: MeshSpace, stop: Stop): Meshes {
  const [ofModel = [], ofContext = [], ofExperts = [], ofReplicas = []] = byLevel(rules, levels)
  const sizes = (axis: Axis, most: number) => (unused.includes(axis) ? [1] : divisorsOf(most))
  const pairs = meshPairs(chips)
  let constrained = 0
  let over = false
  for (const { pipeline, tensor, found } of spread(pairs)) {
    for (const tensor2 of divisorsOf(chips / pipeline / tensor)) {
      if (over) break
      // Meshes are written out, as they would be spread for longer than rules are asked.
      const sharded = { data: 1, fsdp: 1, tensor, tensor2, context: 1, expert: 1, pipeline }
      if (!keeps(ofModel, { mesh: sharded, question })) continue
      const rest = chips / pipeline / tensor / tensor2
      for (const context of divisorsOf(rest)) {
        over ||= stop()
        if (over) break
        const inner = { data: 1, fsdp: 1, tensor, tensor2, context, expert: 1, pipeline }
        if (!keeps(ofContext, { mesh: inner, question })) continue
        for (const expert of sizes('expert', rest / context)) {
          const replicas = rest / context / expert
          const unsharded = { data: replicas, fsdp: 1, tensor, tensor2, context, expert, pipeline }
          if (!keeps(ofExperts, { mesh: unsharded, question })) continue
          for (const fsdp of sizes('fsdp', replicas)) {
            const data = replicas / fsdp
            const mesh: Mesh = { data, fsdp, tensor, tensor2, context, expert, pipeline }
            if (!keeps(ofReplicas, { mesh, question })) continue
            if (wanted(mesh)) found.push(sameMesh(mesh))
            else constrained++
          }
        }
      }
    }
  }
  const allowed = concatenated(pairs.map(({ found }) => found))
  const total = orderedProducts(chips, axes.length)
  const others = total - allowed.length - constrained
  return { total, allowed, constrained, indivisible: over ? 0 : others, unseen: over ? others : 0 }
}

/** The meshes with one size of pipeline and tensor, whatever their other axes. */
interface MeshPair {
  readonly pipeline: number
  readonly tensor: number
  readonly found: Mesh[]
}

function meshPairs(chips: number): readonly MeshPair[] {
  return divisorsOf(chips).flatMap((pipeline) =>
    divisorsOf(chips / pipeline).map((tensor): MeshPair => ({ pipeline, tensor, found: [] })),
  )
}

/** The request's constraints, with tensor2 set to 1 unless they name it or the assumptions search it. */
export function searchedConstraints({ constraints, assumptions }: Problem): Problem['constraints'] {
  if (assumptions.searchTensor2 || constraints.tensor2 !== undefined) return constraints
  return { ...constraints, tensor2: 1 }
}

/** The meshes that shard most come first: they take the least memory. */
export function bySharding(meshes: readonly Mesh[]): readonly Mesh[] {
  return [...meshes].sort((a, b) => a.data - b.data || b.context - a.context)
}

/** Number of ordered products of `factors` numbers that make n. */
export function orderedProducts(n: number, factors: number): number {
  let left = n
  let count = 1
  for (let prime = 2; left > 1; prime++) {
    let exponent = 0
    while (left % prime === 0) {
      left /= prime
      exponent++
      count = (count * (exponent + factors - 1)) / exponent
    }
    if (prime * prime > left && left > 1) prime = left - 1
  }
  return count
}
