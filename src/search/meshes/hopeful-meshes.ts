/**
 * Meshes of a number of chips that little will come of, from what there may be of one replica: the mesh with data and fsdp 1. Most
 * replicas give no hope whatever the number of chips, so they are listed by their size, once for all of them.
 */

import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import { known } from '../../known.ts'
import { type Problem, satisfies } from '../../problem.ts'
import { byLevel } from '../../rules/levels.ts'
import { type MeshRule, trainedMeshRules, trainedReplicas } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { type Axis, type Mesh, unitMesh } from '../../sharding/axis.ts'
import { zeroChoices } from '../layouts/choices.ts'
import { searchedConstraints, trainedQuestion } from './meshes.ts'

export interface Replica {
  readonly mesh: Mesh
  /** The spaces of a search that it may be run in. */
  readonly spaces: readonly number[]
}

/** Those that take so many chips, their experts' aside, and that may be run at all; each is one object. */
export type Replicas = (chips: number) => readonly Replica[]

/**
 * What may run is asked of tensor, tensor2, context and expert alone, and of a context axis by itself first: no replica runs that
 * has more beside it.
 */
export function replicasThat(problem: Problem, spacesOf: (mesh: Mesh) => readonly number[]): Replicas {
  const constraints = searchedConstraints(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const question = trainedQuestion(problem)
  const [ofTensors = [], ofStages = [], ofContext = [], ofExperts = []] = trainedLevels
  const experts = divisorsOf(problem.model.experts?.experts ?? 1).filter((size) => may('expert', size))
  const legal = (rules: readonly MeshRule[], mesh: Mesh): readonly Replica[] => {
    const spaces = keeps(rules, { mesh, question }) ? spacesOf(mesh) : []
    return spaces.length > 0 ? [{ mesh, spaces }] : []
  }
  const tensorSizes = memo((tensors) =>
    keeps(ofTensors, { mesh: { ...unitMesh, tensor: tensors }, question }),
  )
  const stageCounts = memo((pipeline) => {
    return may('pipeline', pipeline) && keeps(ofStages, { mesh: { ...unitMesh, pipeline }, question })
  })
  const contexts = memo(
    (context) => may('context', context) && legal(ofContext, { ...unitMesh, context }).length > 0,
  )
  const unpiped = memo((tensor) =>
    memo((tensor2) =>
      memo((context) => {
        const sharded: Mesh = { ...unitMesh, tensor, tensor2, context }
        if (!keeps(ofContext, { mesh: sharded, question })) return []
        return experts.flatMap((expert) => legal(ofExperts, { ...sharded, expert }))
      }),
    ),
  )
  return memo((chips) => {
    const found: Replica[] = []
    for (const tensors of divisorsOf(chips)) {
      // Heads do not know over which of the two axes they are sharded.
      if (!tensorSizes(tensors)) continue
      for (const tensor2 of divisorsOf(tensors)) {
        const tensor = tensors / tensor2
        if (!may('tensor2', tensor2) || !may('tensor', tensor)) continue
        for (const context of divisorsOf(chips / tensors)) {
          const pipeline = chips / tensors / context
          if (!stageCounts(pipeline) || !contexts(context)) continue
          for (const { mesh, spaces } of unpiped(tensor)(tensor2)(context)) {
            found.push({ mesh: { ...mesh, pipeline }, spaces })
          }
        }
      }
    }
    return found
  })
}

/** What is told of a mesh by its axes, as replicas bind them. */
const trainedLevels = byLevel(trainedMeshRules, [
  ['tensor', 'tensor2'],
  ['pipeline'],
  ['context'],
  ['expert'],
  ['fsdp', 'data'],
])

function memo<Value>(made: (size: number) => Value): (size: number) => Value {
  const values = new Map<number, Value>()
  return (size) => known(values, size, () => made(size))
}

/** What is asked of a number of chips, from the outside in. */
export interface Hopes {
  /** Whether so many replicas, with so many sequences each, leave any. */
  readonly replicas: (replicas: number, sequencesEach: number) => boolean
  /** Whether so many stages, with so many sequences to fill them, do. */
  readonly stages: (pipeline: number, replicas: number, sequencesEach: number) => boolean
  readonly replica: (replica: Replica, sequencesEach: number) => boolean
}

/** Meshes that can be run and are allowed, of those that give hope. The others are not counted. */
export function hopefulMeshes(problem: Problem, replicasOfSize: Replicas, hopes: Hopes): readonly Mesh[] {
  const { cluster, workload, assumptions } = problem
  const { tokensDivideFreely } = assumptions
  const sequences = workload.batchTokens / workload.sequenceLength
  const constraints = searchedConstraints(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const question = trainedQuestion(problem)
  const ofReplicas = trainedLevels.at(-1) ?? []
  const found: Mesh[] = []
  for (const replicas of divisorsOf(cluster.chips)) {
    // How replicas are dealt out over the axes does not matter to the batch.
    if (trainedReplicas.broken({ mesh: { ...unitMesh, data: replicas }, question })) break
    const each = tokensDivideFreely ? sequences / replicas : Math.ceil(Math.ceil(sequences) / replicas)
    if (!hopes.replicas(replicas, each)) continue
    for (const replica of replicasOfSize(cluster.chips / replicas)) {
      const { pipeline, expert } = replica.mesh
      if (replicas % expert !== 0) continue
      if (!hopes.stages(pipeline, replicas, each) || !hopes.replica(replica, each)) continue
      for (const fsdp of divisorsOf(replicas / expert)) {
        const mesh: Mesh = { ...replica.mesh, fsdp, data: replicas / expert / fsdp }
        if (!may('fsdp', fsdp) || !may('data', mesh.data)) continue
        if (zeroChoices(mesh, problem).length > 0 && keeps(ofReplicas, { mesh, question })) found.push(mesh)
      }
    }
  }
  return found
}
