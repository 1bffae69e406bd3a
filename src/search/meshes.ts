/**
 * Every mesh: all ways to write the number of chips as an ordered product of seven axes, and which of them break no rule
 * (formulas 17). A rule is asked as soon as the axes that it reads are bound, and all meshes that have them are left out with one that breaks
 * it. These are counted, not built: the number of ordered products is known,
 *
 *   for n = Π p^e:   Π C(e + 6, 6)
 */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { never, type Stop } from '../patience.ts'
import type { Problem } from '../problem.ts'
import { satisfies } from '../problem.ts'
import { byLevel } from '../rules/levels.ts'
import { type MeshQuestion, type MeshRule, trainedMeshRules, trainedReplicas } from '../rules/model.ts'
import { keeps } from '../rules/rule.ts'
import { type Axis, axes, type Mesh, unitMesh } from '../sharding/axis.ts'
import { zeroChoices } from './choices.ts'
import { spread } from './spread.ts'

export interface Meshes {
  /** All ordered products. */
  readonly total: number
  /** Legal, and allowed by the request. */
  readonly allowed: readonly Mesh[]
  readonly constrained: number
  readonly indivisible: number
  /** Not listed, as the time was over: of what kind they are is not known. */
  readonly unseen: number
}

/** What the meshes of training are held to. */
export function trainedQuestion({ model, workload, assumptions }: Problem): MeshQuestion {
  const { batchTokens, sequenceLength } = workload
  return {
    model,
    positions: sequenceLength,
    sequences: Math.ceil(batchTokens / sequenceLength),
    freeTokens: assumptions.tokensDivideFreely ? batchTokens : null,
    padsHeads: false,
  }
}

/** Of one problem they are asked for by each cost model, its bound and its suggestions: listed once, as far as the first had time. */
export function enumerateMeshes(problem: Problem, stop: Stop = never): Meshes {
  const meshes = known.get(problem) ?? listedMeshes(trainedSpace(problem), stop)
  known.set(problem, meshes)
  return meshes
}

const known = new WeakMap<Problem, Meshes>()

function trainedSpace(problem: Problem): MeshSpace {
  const constraints = searchedConstraints(problem)
  return {
    chips: problem.cluster.chips,
    rules: trainedMeshRules,
    question: trainedQuestion(problem),
    unused: problem.model.experts ? [] : ['expert'],
    wanted: (mesh) =>
      axes.every((axis) => satisfies(mesh[axis], constraints[axis])) && zeroChoices(mesh, problem).length > 0,
  }
}

export interface MeshSpace {
  readonly chips: number
  readonly rules: readonly MeshRule[]
  readonly question: MeshQuestion
  /** Axes that rules allow no other size than 1: others are not even tried. */
  readonly unused: readonly Axis[]
  /** Whether the request, and what is assumed, allow it. */
  readonly wanted: (mesh: Mesh) => boolean
}

/** Axes as they are bound, from the outside in. */
const levels: readonly (readonly Axis[])[] = [
  ['pipeline', 'tensor', 'tensor2'],
  ['context'],
  ['expert'],
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
      const sharded: Mesh = { ...unitMesh, tensor, tensor2, pipeline }
      if (!keeps(ofModel, { mesh: sharded, question })) continue
      const rest = chips / pipeline / tensor / tensor2
      for (const context of divisorsOf(rest)) {
        over ||= stop()
        if (over) break
        if (!keeps(ofContext, { mesh: { ...sharded, context }, question })) continue
        for (const expert of sizes('expert', rest / context)) {
          if (!keeps(ofExperts, { mesh: { ...sharded, context, expert }, question })) continue
          for (const fsdp of sizes('fsdp', rest / context / expert)) {
            const data = rest / context / expert / fsdp
            const mesh: Mesh = { data, fsdp, tensor, tensor2, context, expert, pipeline }
            if (!keeps(ofReplicas, { mesh, question })) continue
            if (wanted(mesh)) found.push(mesh)
            else constrained++
          }
        }
      }
    }
  }
  const allowed = pairs.flatMap(({ found }) => found)
  const total = orderedProducts(chips, axes.length)
  const others = total - allowed.length - constrained
  return { total, allowed, constrained, indivisible: over ? 0 : others, unseen: over ? others : 0 }
}

/** With one pipeline and one tensor axis, and as many of the other axes as there may be. */
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

/** What is asked of a number of chips that little will come of, from the outside in. */
export interface Hopes {
  /** Whether so many replicas, with so many sequences each, leave any. */
  readonly replicas: (replicas: number, sequencesEach: number) => boolean
  /** Whether so many stages, with so many sequences to fill them, do. */
  readonly stages: (pipeline: number, replicas: number, sequencesEach: number) => boolean
  /** Whether a mesh may be run that shards heads and positions so. */
  readonly shards: (tensor: number, tensor2: number, context: number) => boolean
  /** Of one replica: the mesh with data and fsdp 1. */
  readonly replica: (replica: Mesh, sequencesEach: number) => boolean
}

/** Meshes that can be run and are allowed, of those that give hope. The others are not counted. */
export function hopefulMeshes(problem: Problem, hopes: Hopes): readonly Mesh[] {
  const { cluster, workload, assumptions } = problem
  const { tokensDivideFreely } = assumptions
  const sequences = workload.batchTokens / workload.sequenceLength
  const constraints = searchedConstraints(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const question = trainedQuestion(problem)
  const [ofTensors = [], ofStages = [], ofContext = [], ofExperts = [], ofReplicas = []] = byLevel(
    trainedMeshRules,
    [['tensor', 'tensor2'], ['pipeline'], ['context'], ['expert'], ['fsdp', 'data']],
  )
  const found: Mesh[] = []
  for (const replicas of divisorsOf(cluster.chips)) {
    // How replicas are dealt out over the axes does not matter to the batch.
    if (trainedReplicas.broken({ mesh: { ...unitMesh, data: replicas }, question })) break
    const each = tokensDivideFreely ? sequences / replicas : Math.ceil(Math.ceil(sequences) / replicas)
    if (!hopes.replicas(replicas, each)) continue
    const shards = cluster.chips / replicas
    for (const tensors of divisorsOf(shards)) {
      // Nor to heads, over which of the two axes they are sharded.
      if (!keeps(ofTensors, { mesh: { ...unitMesh, tensor: tensors }, question })) continue
      for (const tensor2 of divisorsOf(tensors)) {
        const tensor = tensors / tensor2
        if (!may('tensor2', tensor2) || !may('tensor', tensor)) continue
        for (const context of divisorsOf(shards / tensors)) {
          const pipeline = shards / tensors / context
          if (!may('pipeline', pipeline) || !may('context', context)) continue
          const sharded: Mesh = { ...unitMesh, tensor, tensor2, context, pipeline }
          if (!keeps(ofStages, { mesh: sharded, question })) continue
          if (!keeps(ofContext, { mesh: sharded, question })) continue
          if (!hopes.stages(pipeline, replicas, each) || !hopes.shards(tensor, tensor2, context)) continue
          for (const expert of problem.model.experts ? divisorsOf(replicas) : [1]) {
            const replica: Mesh = { ...sharded, expert }
            if (!may('expert', expert) || !keeps(ofExperts, { mesh: replica, question })) continue
            if (!hopes.replica(replica, each)) continue
            for (const fsdp of divisorsOf(replicas / expert)) {
              const mesh: Mesh = { ...replica, fsdp, data: replicas / expert / fsdp }
              if (!may('fsdp', fsdp) || !may('data', mesh.data)) continue
              if (zeroChoices(mesh, problem).length > 0 && keeps(ofReplicas, { mesh, question }))
                found.push(mesh)
            }
          }
        }
      }
    }
  }
  return found
}

/** The request's constraints; tensor2 is 1 unless they name it or the assumptions search it. */
function searchedConstraints({ constraints, assumptions }: Problem): Problem['constraints'] {
  if (assumptions.searchTensor2 || constraints.tensor2 !== undefined) return constraints
  return { ...constraints, tensor2: 1 }
}

/** Ordered products of `factors` numbers that make n. */
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
