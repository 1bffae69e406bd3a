/**
 * The replicas that there may be; a replica is a mesh with data and fsdp 1. Most of them are ruled out whatever the number of chips, so
 * they are listed once for all numbers.
 */

import { satisfies } from '../../constraint.ts'
import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import { known, remembered } from '../../known.ts'
import type { Stop } from '../../patience.ts'
import type { Problem } from '../../problem.ts'
import { byLevel } from '../../rules/levels.ts'
import type { MeshRule } from '../../rules/mesh-question.ts'
import { trainedMeshRules, trainedReplicas } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { type Axis, type Mesh, unitMesh } from '../../sharding/axis.ts'
import { mostThat } from '../../threshold.ts'
import { searchedConstraints, trainedQuestion } from './meshes.ts'

export interface Replica {
  readonly mesh: Mesh
  /** Indices of the search's spaces that it may be run in. */
  readonly spaces: readonly number[]
}

export interface CountedReplica {
  readonly replica: Replica
  /** How many of this replica there are. */
  readonly count: number
}

/** The replicas that so many chips may be made of, with their number. */
export type ReplicasOn = (chips: number) => readonly CountedReplica[]

/** The replicas that may be run at all; each is one object. A replica's chips do not count the expert axis, which replicas share. */
export interface Replicas {
  /** The most replicas that there may be, of any kind. */
  readonly most: number
  readonly on: ReplicasOn
  /** Replicas of one stage with at most so many chips, by their chips; null when they are very many, or it is told to stop. */
  readonly unpiped: (most: number, stop: Stop) => ReadonlyMap<number, readonly Replica[]> | null
  /** Numbers of stages, up to `most`. */
  readonly stageCounts: (most: number) => readonly number[]
  readonly staged: (unpiped: Replica, pipeline: number) => Replica
}

export interface Runnable {
  /** Indices of the search's spaces that a mesh may be run in. */
  readonly spacesOf: (mesh: Mesh) => readonly number[]
  /** The only sizes of the context axis that may be run in any of them; null where any may. */
  readonly contexts: readonly number[] | null
}

/**
 * What may run depends only on tensor, tensor2, context and expert. A context axis is asked by itself first: when it may not run alone, no
 * replica with more beside it may.
 */
export function replicasThat(problem: Problem, { spacesOf, contexts: sizes }: Runnable): Replicas {
  const constraints = searchedConstraints(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const question = trainedQuestion(problem)
  const [ofTensors = [], ofStages = [], ofContext = [], ofExperts = []] = trainedLevels
  const experts = divisorsOf(problem.model.experts?.experts ?? 1).filter((size) => may('expert', size))
  const legal = (rules: readonly MeshRule[], mesh: Mesh): readonly Replica[] => {
    const spaces = keeps(rules, { mesh, question }) ? spacesOf(mesh) : []
    return spaces.length > 0 ? [{ mesh, spaces }] : []
  }
  const mayTensors = remembered((tensors: number) =>
    keeps(ofTensors, { mesh: { ...unitMesh, tensor: tensors }, question }),
  )
  const mayStages = remembered((pipeline: number) => {
    return may('pipeline', pipeline) && keeps(ofStages, { mesh: { ...unitMesh, pipeline }, question })
  })
  const mayContext = remembered(
    (context: number) => may('context', context) && legal(ofContext, { ...unitMesh, context }).length > 0,
  )
  const shapes = remembered((tensor: number) =>
    remembered((tensor2: number) =>
      remembered((context: number): readonly Replica[] => {
        const sharded: Mesh = { ...unitMesh, tensor, tensor2, context }
        if (!keeps(ofContext, { mesh: sharded, question })) return []
        return experts.flatMap((expert) => legal(ofExperts, { ...sharded, expert }))
      }),
    ),
  )
  const splits = remembered((tensors: number) =>
    divisorsOf(tensors).filter((tensor2) => may('tensor2', tensor2) && may('tensor', tensors / tensor2)),
  )
  /** Heads do not depend on which of the two tensor axes they are sharded over, so only the product is asked. */
  const ofTensorsAnd = remembered((tensors: number) =>
    remembered((context: number): readonly Replica[] => {
      if (!mayTensors(tensors) || !mayContext(context)) return []
      return splits(tensors).flatMap((tensor2) => shapes(tensors / tensor2)(tensor2)(context))
    }),
  )
  const stagedOnce = remembered(({ mesh, spaces }: Replica) =>
    remembered((pipeline: number): Replica => ({ mesh: { ...mesh, pipeline }, spaces })),
  )
  const staged: Replicas['staged'] = (unpiped, pipeline) => stagedOnce(unpiped)(pipeline)
  const ofSize = remembered((chips: number) =>
    divisorsOf(chips)
      .filter(mayTensors)
      .flatMap((tensors) =>
        divisorsOf(chips / tensors).flatMap((context) => {
          const pipeline = chips / tensors / context
          if (!mayStages(pipeline)) return []
          return ofTensorsAnd(tensors)(context).map((unpiped) => staged(unpiped, pipeline))
        }),
      ),
  )
  const most = mostReplicas(problem)
  return {
    most,
    on: (chips) =>
      divisorsOf(chips)
        .filter((count) => count <= most)
        .flatMap((count) =>
          ofSize(chips / count)
            .filter(({ mesh }) => count % mesh.expert === 0)
            .map((replica) => ({ replica, count })),
        ),
    unpiped: (most, stop) => {
      const longest = Math.min(most, question.positions)
      const contexts = (sizes ?? upTo(longest)).filter((size) => size <= longest && may('context', size))
      const pairs = upTo(Math.min(most, problem.model.heads))
        .filter(mayTensors)
        .map((tensors) => ({ tensors, beside: contexts.filter((context) => context <= most / tensors) }))
      const asked = pairs.reduce(
        (sum, { tensors, beside }) => sum + splits(tensors).length * beside.length,
        0,
      )
      if (asked * experts.length > mostAsked) return null
      const bySize = new Map<number, Replica[]>()
      for (const { tensors, beside } of pairs) {
        for (const context of beside) {
          if (stop()) return null
          const found = ofTensorsAnd(tensors)(context)
          if (found.length > 0) known(bySize, tensors * context, (): Replica[] => []).push(...found)
        }
      }
      return bySize
    },
    stageCounts: (most) => upTo(Math.min(most, problem.model.layers)).filter(mayStages),
    staged,
  }
}

/** Of replicas that frameworks run, a few hundred are asked for; when none is asked for, context may be of nearly any size. */
const mostAsked = 10_000

/** The most replicas that the batch allows, however they are dealt out over the axes. */
function mostReplicas(problem: Problem): number {
  const question = trainedQuestion(problem)
  const { chips } = problem.cluster
  return mostThat(chips, (data) => !trainedReplicas.broken({ mesh: { ...unitMesh, data }, question }))
}

function upTo(most: number): readonly number[] {
  return Array.from({ length: Math.floor(most) }, (_, at) => at + 1)
}

/** The rules of meshes, by the axes that they read, in the order in which replicas bind them. */
export const trainedLevels = byLevel(trainedMeshRules, [
  ['tensor', 'tensor2'],
  ['pipeline'],
  ['context'],
  ['expert'],
  ['replicas', 'fsdp', 'data'],
])
