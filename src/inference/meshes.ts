/**
 * The meshes of inference: sequences over data, and over expert for all but the experts; weights over tensor and tensor2,
 * layers over pipeline, new positions over context (prefill). An expert axis need not divide the experts: slots that are
 * left over have copies (model/expert-slots.ts). Nothing is gathered every step but by the layouts that say so, so fsdp is 1 (the book: no FSDP).
 */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { never, type Stop } from '../patience.ts'
import { type InferenceProblem, type PhaseProblem, satisfies } from '../problem.ts'
import { expertFault, type Meshes, meshesAmong, meshPairs, orderedProducts } from '../search/meshes.ts'
import { spread } from '../search/spread.ts'
import { type Axis, axes, type Mesh, replicasOf, unitMesh } from '../sharding/axis.ts'

export interface MeshFault {
  readonly axis: string
  readonly detail: string
}

/** The meshes of a phase: all of them, or those of a part of the chips that give hope. */
export type MeshesOf = (problem: InferenceProblem, demand: Demand, stop: Stop) => Meshes

/** What a phase asks of a mesh beyond the model. */
export interface Demand {
  /** Sequences at most; null where memory sets the number. */
  readonly sequences: number | null
  /** New positions of each. */
  readonly positions: number
}

/** Of what a workload runs in one pass. */
export function demandOf(workload: PhaseProblem['workload']): Demand {
  if (workload.mode === 'prefill') {
    const positions = workload.promptLength - workload.cachedPrefixLength
    return { sequences: workload.batchSequences, positions }
  }
  return { sequences: workload.batchSequences === 'max' ? null : workload.batchSequences, positions: 1 }
}

export function inferenceMeshFaults(
  mesh: Mesh,
  { model, assumptions }: InferenceProblem,
  { sequences, positions }: Demand,
): readonly MeshFault[] {
  const faults: MeshFault[] = []
  const tensors = mesh.tensor * mesh.tensor2
  if (mesh.fsdp > 1) {
    faults.push({
      axis: 'fsdp',
      detail: 'inference has no optimizer states to shard; weight-gathered layouts gather over tensor2',
    })
  }
  const faultOfExperts = expertFault(mesh, model, { copies: true })
  if (faultOfExperts) faults.push({ axis: 'expert', detail: faultOfExperts })
  if (assumptions.padHeads ? tensors > paddedHeads(model.heads) : model.heads % tensors !== 0) {
    faults.push({
      axis: 'tensor',
      detail: assumptions.padHeads
        ? `tensor x tensor2 = ${tensors} is more than ${model.heads} heads padded to a power of two`
        : `tensor x tensor2 = ${tensors} does not divide ${model.heads} heads`,
    })
  }
  if (
    !assumptions.padHeads &&
    !model.attention.latent &&
    tensors > model.kvHeads &&
    tensors % model.kvHeads !== 0
  ) {
    faults.push({
      axis: 'tensor',
      detail: `${model.kvHeads} key-value heads cannot be replicated over tensor x tensor2 = ${tensors}`,
    })
  }
  if (mesh.pipeline > model.layers) {
    faults.push({ axis: 'pipeline', detail: `${mesh.pipeline} stages for ${model.layers} layers` })
  }
  if (mesh.context > positions) {
    faults.push({ axis: 'context', detail: `${positions} new positions cannot be shared by ${mesh.context}` })
  }
  const replicas = replicasOf(mesh)
  if (sequences !== null && replicas > sequences) {
    faults.push({
      axis: mesh.expert > mesh.data ? 'expert' : 'data',
      detail: `${replicas} replicas for ${sequences} sequences`,
    })
  }
  return faults
}

/** The next power of two. */
function paddedHeads(heads: number): number {
  return 2 ** Math.ceil(Math.log2(heads))
}

/** Of one problem they are asked for with frameworks in mind, without, and for the frontier: listed once, as far as the first had time. */
export function inferenceMeshes(problem: InferenceProblem, demand: Demand, stop: Stop = never): Meshes {
  const lists = known.get(problem) ?? new Map<string, Meshes>()
  const key = `${demand.sequences} ${demand.positions}`
  const meshes = lists.get(key) ?? listedMeshes(problem, demand, stop)
  known.set(problem, lists.set(key, meshes))
  return meshes
}

const known = new WeakMap<InferenceProblem, Map<string, Meshes>>()

function listedMeshes(problem: InferenceProblem, demand: Demand, stop: Stop): Meshes {
  const { cluster, constraints, assumptions, model } = problem
  const { chips } = cluster
  const total = orderedProducts(chips, axes.length)
  const second = assumptions.searchWeightLayouts || constraints.tensor2 !== undefined
  const pairs = meshPairs(chips)
  let constrained = 0
  let over = false
  for (const { pipeline, tensor, found } of spread(pairs)) {
    for (const tensor2 of divisorsOf(chips / pipeline / tensor)) {
      if (over) break
      // No other axis mends what is wrong with these.
      if (inferenceMeshFaults({ ...unitMesh, tensor, tensor2, pipeline }, problem, demand).length > 0)
        continue
      const rest = chips / pipeline / tensor / tensor2
      for (const context of divisorsOf(rest)) {
        over ||= stop()
        if (over) break
        for (const expert of model.experts ? divisorsOf(rest / context) : [1]) {
          const data = rest / context / expert
          const mesh: Mesh = { data, fsdp: 1, tensor, tensor2, context, expert, pipeline }
          if (inferenceMeshFaults(mesh, problem, demand).length > 0) continue
          const wanted = axes.every((axis) => satisfies(mesh[axis], constraints[axis]))
          if (wanted && (second || tensor2 === 1)) found.push(mesh)
          else constrained++
        }
      }
    }
  }
  return meshesAmong(pairs, { total, constrained, over })
}

/** Meshes that can be run and are allowed, of those that give hope. The others are not counted. */
export function hopefulInferenceMeshes(
  problem: InferenceProblem,
  demand: Demand,
  hopes: (mesh: Mesh) => boolean,
): Meshes {
  const { cluster, constraints, assumptions, model } = problem
  const second = assumptions.searchWeightLayouts || constraints.tensor2 !== undefined
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const mostTensors = paddedHeads(model.heads)
  const found: Mesh[] = []
  for (const data of divisorsOf(cluster.chips)) {
    if (demand.sequences !== null && data > demand.sequences) break
    for (const expert of model.experts ? divisorsOf(cluster.chips / data) : [1]) {
      const shards = cluster.chips / data / expert
      if (!may('data', data) || !may('expert', expert)) continue
      for (const tensor of divisorsOf(shards)) {
        if (tensor > mostTensors || !may('tensor', tensor)) continue
        for (const tensor2 of second ? divisorsOf(shards / tensor) : [1]) {
          if (tensor * tensor2 > mostTensors || !may('tensor2', tensor2)) continue
          for (const context of divisorsOf(shards / tensor / tensor2)) {
            const pipeline = shards / tensor / tensor2 / context
            if (context > demand.positions || pipeline > model.layers) continue
            const mesh: Mesh = { data, fsdp: 1, tensor, tensor2, context, expert, pipeline }
            if (!axes.every((axis) => may(axis, mesh[axis])) || !hopes(mesh)) continue
            if (inferenceMeshFaults(mesh, problem, demand).length === 0) found.push(mesh)
          }
        }
      }
    }
  }
  return { total: found.length, allowed: found, constrained: 0, indivisible: 0, unseen: 0 }
}
