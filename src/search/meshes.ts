/**
 * Every mesh: all ways to write the number of chips as an ordered product of seven axes, and which of them a
 * framework could run (formulas 17). Illegal ones are counted, not built: the number of ordered products is known,
 *
 *   for n = Π p^e:   Π C(e + 6, 6)
 */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { expertSlots } from '../model/expert-slots.ts'
import type { Transformer } from '../model/transformer.ts'
import { never, type Stop } from '../patience.ts'
import type { Problem } from '../problem.ts'
import { satisfies } from '../problem.ts'
import { type Axis, axes, type Mesh, replicasOf, unitMesh } from '../sharding/axis.ts'
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

/** Why a mesh cannot be run, by axis; empty where it can. */
export function meshFaults(
  mesh: Mesh,
  problem: Problem,
): readonly { readonly axis: string; readonly detail: string }[] {
  const { model, workload, assumptions } = problem
  const faults: { axis: string; detail: string }[] = []
  const tensors = mesh.tensor * mesh.tensor2
  if (model.heads % tensors !== 0) {
    faults.push({
      axis: 'tensor',
      detail: `tensor x tensor2 = ${tensors} does not divide ${model.heads} heads`,
    })
  }
  if (tensors > model.kvHeads ? tensors % model.kvHeads !== 0 : model.kvHeads % tensors !== 0) {
    faults.push({
      axis: 'tensor',
      detail: `${model.kvHeads} key-value heads can be neither divided nor replicated over tensor x tensor2 = ${tensors}`,
    })
  }
  const faultOfExperts = expertFault(mesh, model, { copies: false })
  if (faultOfExperts) faults.push({ axis: 'expert', detail: faultOfExperts })
  if (mesh.pipeline > model.layers) {
    faults.push({ axis: 'pipeline', detail: `${mesh.pipeline} stages for ${model.layers} layers` })
  }
  if (mesh.context > workload.sequenceLength) {
    faults.push({ axis: 'context', detail: `a sequence of ${workload.sequenceLength} has fewer positions` })
  }
  const replicas = replicasOf(mesh)
  const sequences = workload.batchTokens / workload.sequenceLength
  if (!assumptions.tokensDivideFreely && replicas > Math.ceil(sequences)) {
    faults.push({
      axis: mesh.fsdp > mesh.data ? 'fsdp' : 'data',
      detail: `${replicaAxes(mesh)} = ${replicas} is more than the ${Math.ceil(sequences)} sequences of the batch; the context axis shards a sequence`,
    })
  }
  if (assumptions.tokensDivideFreely && replicas * mesh.context > workload.batchTokens) {
    faults.push({
      axis: 'fsdp',
      detail: `${replicaAxes(mesh)} x context = ${replicas * mesh.context} is more than the batch has tokens`,
    })
  }
  return faults
}

/**
 * Null where the experts can be shared out: evenly or, in inference, with copies in the slots that are left over. Room for
 * a second set of all experts is what the data axis is for.
 */
export function expertFault(
  { expert }: Mesh,
  { experts }: Transformer,
  { copies }: { readonly copies: boolean },
): string | null {
  if (expert === 1) return null
  if (!experts) return 'a dense model has no experts to shard'
  const { redundant } = expertSlots(experts.experts, expert)
  if (redundant === 0 || (copies && redundant < experts.experts)) return null
  if (copies)
    return `${expert} chips have room for two sets of the ${experts.experts} experts: that is data 2`
  return `${expert} does not divide the ${experts.experts} experts`
}

function replicaAxes({ expert }: Mesh): string {
  return expert > 1 ? 'data x fsdp x expert' : 'data x fsdp'
}

/** Of one problem they are asked for by each cost model, its bound and its suggestions: listed once, as far as the first had time. */
export function enumerateMeshes(problem: Problem, stop: Stop = never): Meshes {
  const meshes = known.get(problem) ?? listedMeshes(problem, stop)
  known.set(problem, meshes)
  return meshes
}

const known = new WeakMap<Problem, Meshes>()

function listedMeshes(problem: Problem, stop: Stop): Meshes {
  const { chips } = problem.cluster
  const total = orderedProducts(chips, axes.length)
  const constraints = searchedConstraints(problem)
  const pairs = meshPairs(chips)
  let constrained = 0
  let over = false
  for (const { pipeline, tensor, found } of spread(pairs)) {
    for (const tensor2 of divisorsOf(chips / pipeline / tensor)) {
      if (over) break
      // No other axis mends what is wrong with these.
      if (meshFaults({ ...unitMesh, tensor, tensor2, pipeline }, problem).length > 0) continue
      const rest = chips / pipeline / tensor / tensor2
      for (const context of divisorsOf(rest)) {
        over ||= stop()
        if (over) break
        for (const expert of expertSizes(rest / context, problem.model)) {
          for (const fsdp of divisorsOf(rest / context / expert)) {
            const data = rest / context / expert / fsdp
            const mesh: Mesh = { data, fsdp, tensor, tensor2, context, expert, pipeline }
            if (meshFaults(mesh, problem).length > 0) continue
            const wanted = axes.every((axis) => satisfies(mesh[axis], constraints[axis]))
            if (wanted && zeroChoices(mesh, problem).length > 0) found.push(mesh)
            else constrained++
          }
        }
      }
    }
  }
  return meshesAmong(pairs, { total, constrained, over })
}

/** With one pipeline and one tensor axis, and as many of the other axes as there may be. */
export interface MeshPair {
  readonly pipeline: number
  readonly tensor: number
  readonly found: Mesh[]
}

export function meshPairs(chips: number): readonly MeshPair[] {
  return divisorsOf(chips).flatMap((pipeline) =>
    divisorsOf(chips / pipeline).map((tensor): MeshPair => ({ pipeline, tensor, found: [] })),
  )
}

export function meshesAmong(
  pairs: readonly MeshPair[],
  {
    total,
    constrained,
    over,
  }: { readonly total: number; readonly constrained: number; readonly over: boolean },
): Meshes {
  const allowed = pairs.flatMap(({ found }) => found)
  const others = total - allowed.length - constrained
  return { total, allowed, constrained, indivisible: over ? 0 : others, unseen: over ? others : 0 }
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
  const { cluster, model, workload, assumptions } = problem
  const { tokensDivideFreely } = assumptions
  const sequences = workload.batchTokens / workload.sequenceLength
  const constraints = searchedConstraints(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const found: Mesh[] = []
  for (const replicas of divisorsOf(cluster.chips)) {
    if (!tokensDivideFreely && replicas > Math.ceil(sequences)) break
    const each = tokensDivideFreely ? sequences / replicas : Math.ceil(Math.ceil(sequences) / replicas)
    if (!hopes.replicas(replicas, each)) continue
    const shards = cluster.chips / replicas
    for (const tensors of divisorsOf(shards)) {
      if (model.heads % tensors !== 0) continue
      for (const tensor2 of divisorsOf(tensors)) {
        const tensor = tensors / tensor2
        if (!may('tensor2', tensor2) || !may('tensor', tensor)) continue
        for (const context of divisorsOf(shards / tensors)) {
          const pipeline = shards / tensors / context
          if (pipeline > model.layers || !may('pipeline', pipeline) || !may('context', context)) continue
          if (!hopes.stages(pipeline, replicas, each) || !hopes.shards(tensor, tensor2, context)) continue
          for (const expert of expertSizes(replicas, model)) {
            const replica: Mesh = { ...unitMesh, tensor, tensor2, context, expert, pipeline }
            if (!may('expert', expert) || !hopes.replica(replica, each)) continue
            for (const fsdp of divisorsOf(replicas / expert)) {
              const mesh: Mesh = { ...replica, fsdp, data: replicas / expert / fsdp }
              if (!may('fsdp', fsdp) || !may('data', mesh.data)) continue
              if (zeroChoices(mesh, problem).length > 0 && meshFaults(mesh, problem).length === 0)
                found.push(mesh)
            }
          }
        }
      }
    }
  }
  return found
}

function expertSizes(chips: number, { experts }: Transformer): readonly number[] {
  return experts ? divisorsOf(chips).filter((size) => experts.experts % size === 0) : [1]
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
