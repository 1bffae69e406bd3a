/**
 * What there may be of one replica: the mesh with data and fsdp 1. Most replicas give no hope whatever the number of chips, so that
 * they are listed once for all of them.
 */

import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import { known } from '../../known.ts'
import type { Stop } from '../../patience.ts'
import { type Problem, satisfies } from '../../problem.ts'
import { byLevel } from '../../rules/levels.ts'
import { type MeshRule, trainedMeshRules, trainedReplicas } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { type Axis, type Mesh, unitMesh } from '../../sharding/axis.ts'
import { leastThat } from '../../threshold.ts'
import { searchedConstraints, trainedQuestion } from './meshes.ts'

export interface Replica {
  readonly mesh: Mesh
  /** The spaces of a search that it may be run in. */
  readonly spaces: readonly number[]
}

export interface CountedReplica {
  readonly replica: Replica
  /** How many of it there are. */
  readonly count: number
}

/** Those that so many chips may be made of. */
export type ReplicasOn = (chips: number) => readonly CountedReplica[]

/** Those that may be run at all; each is one object. Chips are counted without those of experts, which replicas share. */
export interface Replicas {
  /** How many there may be at most, of any. */
  readonly most: number
  readonly on: ReplicasOn
  /** Those of one stage on at most so many chips, by their chips; null where they are very many, or it is told to stop. */
  readonly unpiped: (most: number, stop: Stop) => ReadonlyMap<number, readonly Replica[]> | null
  /** Of at most so many. */
  readonly stageCounts: (most: number) => readonly number[]
  readonly staged: (unpiped: Replica, pipeline: number) => Replica
}

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
  const mayTensors = memo((tensors) => keeps(ofTensors, { mesh: { ...unitMesh, tensor: tensors }, question }))
  const mayStages = memo((pipeline) => {
    return may('pipeline', pipeline) && keeps(ofStages, { mesh: { ...unitMesh, pipeline }, question })
  })
  const mayContext = memo(
    (context) => may('context', context) && legal(ofContext, { ...unitMesh, context }).length > 0,
  )
  const shapes = memo((tensor) =>
    memo((tensor2) =>
      memo((context): readonly Replica[] => {
        const sharded: Mesh = { ...unitMesh, tensor, tensor2, context }
        if (!keeps(ofContext, { mesh: sharded, question })) return []
        return experts.flatMap((expert) => legal(ofExperts, { ...sharded, expert }))
      }),
    ),
  )
  /** Heads do not know over which of the two axes they are sharded. */
  const ofTensorsAnd = memo((tensors) =>
    memo((context): readonly Replica[] => {
      if (!mayTensors(tensors) || !mayContext(context)) return []
      return divisorsOf(tensors).flatMap((tensor2) => {
        const tensor = tensors / tensor2
        return may('tensor2', tensor2) && may('tensor', tensor) ? shapes(tensor)(tensor2)(context) : []
      })
    }),
  )
  const stagedOnce = new Map<Replica, Map<number, Replica>>()
  const staged: Replicas['staged'] = (unpiped, pipeline) =>
    known(
      known(stagedOnce, unpiped, () => new Map<number, Replica>()),
      pipeline,
      () => ({ mesh: { ...unpiped.mesh, pipeline }, spaces: unpiped.spaces }),
    )
  const ofSize = memo((chips) =>
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
      const bySize = new Map<number, Replica[]>()
      const { heads } = problem.model
      let count = 0
      for (const tensors of upTo(Math.min(most, heads)).filter(mayTensors)) {
        const contexts = Math.min(most / tensors, question.positions)
        for (let context = 1; context <= contexts; context++) {
          const found = ofTensorsAnd(tensors)(context)
          count += found.length
          if (count > mostListed || stop()) return null
          if (found.length > 0) known(bySize, tensors * context, (): Replica[] => []).push(...found)
        }
      }
      return bySize
    },
    stageCounts: (most) => upTo(Math.min(most, problem.model.layers)).filter(mayStages),
    staged,
  }
}

/** Frameworks run a few hundred; where none is asked for, context may be of nearly any size. */
const mostListed = 10_000

/** How they are dealt out over the axes does not matter to the batch. */
function mostReplicas(problem: Problem): number {
  const question = trainedQuestion(problem)
  const { chips } = problem.cluster
  const tooMany = (data: number) => trainedReplicas.broken({ mesh: { ...unitMesh, data }, question })
  return (leastThat(chips, tooMany) ?? chips + 1) - 1
}

function upTo(most: number): readonly number[] {
  return Array.from({ length: Math.floor(most) }, (_, at) => at + 1)
}

/** What is told of a mesh by its axes, as replicas bind them. */
export const trainedLevels = byLevel(trainedMeshRules, [
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
