/**
 * The meshes of inference: sequences are sharded over data, and over expert for all but the experts; weights over tensor and tensor2,
 * layers over pipeline, new positions over context (prefill). An expert axis need not divide the experts: slots that are
 * left over have copies (model/expert-slots.ts). Only layouts that say so gather anything in every step, so fsdp is 1 (the book: no FSDP).
 */
import { allowsMesh, satisfies } from '../constraint.ts'
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { joinedHosts } from '../hardware/cluster/hosts.ts'
import { known } from '../known.ts'
import { never, type Stop } from '../patience.ts'
import type { InferenceRun } from '../problem.ts'
import { byLevel } from '../rules/levels.ts'
import type { MeshQuestion } from '../rules/mesh-question.ts'
import { chipsToUse, servedMeshRules, servedReplicas } from '../rules/model.ts'
import { keeps } from '../rules/rule.ts'
import { listedMeshes, type Meshes, type MeshSpace } from '../search/meshes/meshes.ts'
import { type Axis, type Mesh, unitMesh } from '../sharding/axis.ts'

/** Lists the meshes of a phase: all of them, or only those of a part of the chips that may be fast enough. */
export type MeshesOf = (problem: InferenceRun, demand: Demand, stop: Stop) => Meshes

/** What a phase asks of a mesh beyond what the model asks. */
export interface Demand {
  /** The most sequences; null where memory sets their number. */
  readonly sequences: number | null
  /** New positions of each sequence. */
  readonly positions: number
}

/** What the rules of meshes ask about a phase. */
export function servedQuestion(problem: InferenceRun, { sequences, positions }: Demand): MeshQuestion {
  const { model, assumptions, cluster } = problem
  return {
    ...{ model, positions, sequences, freeTokens: null, padsHeads: assumptions.padHeads },
    chips: chipsToUse(problem),
    hosts: joinedHosts(cluster),
  }
}

/**
 * Kept for each problem, which asks for its meshes with frameworks, without, and for the frontier: they are listed once, as
 * far as the first call had time.
 */
export function inferenceMeshes(problem: InferenceRun, demand: Demand, stop: Stop = never): Meshes {
  const lists = known(listed, problem, () => new Map<string, Meshes>())
  const key = `${demand.sequences} ${demand.positions}`
  return known(lists, key, () => listedMeshes(servedSpace(problem, demand), stop))
}

const listed = new WeakMap<InferenceRun, Map<string, Meshes>>()

function servedSpace(problem: InferenceRun, demand: Demand): MeshSpace {
  const { cluster, constraints, model } = problem
  const second = triesTensor2(problem)
  const allows = allowsMesh(constraints)
  return {
    chips: cluster.chips,
    rules: servedMeshRules,
    question: servedQuestion(problem, demand),
    unused: model.experts ? ['fsdp'] : ['fsdp', 'expert'],
    wanted: (mesh) => allows(mesh) && (second || mesh.tensor2 === 1),
  }
}

function triesTensor2({ assumptions, constraints }: InferenceRun): boolean {
  return assumptions.searchWeightLayouts || constraints.tensor2 !== undefined
}

/** Only meshes that can be run, are allowed, and pass `hopes`. The others are not counted. */
export function hopefulInferenceMeshes(
  problem: InferenceRun,
  demand: Demand,
  hopes: (mesh: Mesh) => boolean,
): Meshes {
  const { cluster, constraints, model } = problem
  const second = triesTensor2(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const allows = allowsMesh(constraints)
  const question = servedQuestion(problem, demand)
  const [ofReplicas = [], ofTensors = [], ofRest = []] = byLevel(servedMeshRules, [
    ['fsdp', 'data', 'expert', 'replicas'],
    ['tensor', 'tensor2'],
    ['context', 'pipeline'],
  ])
  const found: Mesh[] = []
  for (const data of divisorsOf(cluster.chips)) {
    if (servedReplicas.broken({ mesh: { ...unitMesh, data }, question })) break
    for (const expert of model.experts ? divisorsOf(cluster.chips / data) : [1]) {
      const shards = cluster.chips / data / expert
      if (!may('data', data) || !may('expert', expert)) continue
      const alone: Mesh = { data, fsdp: 1, tensor: 1, tensor2: 1, context: 1, expert, pipeline: 1 }
      if (!keeps(ofReplicas, { mesh: alone, question })) continue
      for (const tensor of divisorsOf(shards)) {
        if (!may('tensor', tensor)) continue
        for (const tensor2 of second ? divisorsOf(shards / tensor) : [1]) {
          if (!may('tensor2', tensor2)) continue
          const shard: Mesh = { data: 1, fsdp: 1, tensor, tensor2, context: 1, expert: 1, pipeline: 1 }
          if (!keeps(ofTensors, { mesh: shard, question })) continue
          for (const context of divisorsOf(shards / tensor / tensor2)) {
            const pipeline = shards / tensor / tensor2 / context
            const mesh: Mesh = { data, fsdp: 1, tensor, tensor2, context, expert, pipeline }
            if (!keeps(ofRest, { mesh, question })) continue
            if (allows(mesh) && hopes(mesh)) found.push(mesh)
          }
        }
      }
    }
  }
  return { total: found.length, allowed: found, constrained: 0, indivisible: 0, unseen: 0 }
}
