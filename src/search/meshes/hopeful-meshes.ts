/** The meshes of a number of chips that may be good enough, made from the replicas that they may consist of. */

import { satisfies } from '../../constraint.ts'
import { divisorsOf } from '../../hardware/cluster/divisors.ts'
import type { Problem } from '../../problem.ts'
import { keeps } from '../../rules/rule.ts'
import type { Axis, Mesh } from '../../sharding/axis.ts'
import { sequencesEach, zeroChoices } from '../layouts/choices.ts'
import { searchedConstraints, trainedQuestion } from './meshes.ts'
import { type Replica, type ReplicasOn, trainedLevels } from './replicas.ts'
import { sameMesh } from './same-mesh.ts'

/** Questions whether anything may be in time, from the cheapest on. */
export interface Hopes {
  /** For chips that only have to do the work of the batch or, with `replicas`, what so many replicas pad it to. */
  readonly work: (chips: number, replicas?: number) => boolean
  /** The same with as many stages to fill. */
  readonly stages: (chips: number, replicas: number, pipeline: number) => boolean
  readonly replica: (replica: Replica, sequencesEach: number) => boolean
  /** The same for how exactly so many sequences divide into microbatches: more may give more hope. */
  readonly divided: (replica: Replica, sequencesEach: number) => boolean
}

/** Meshes that can be run, are allowed, and pass `hopes`. The others are not counted. */
export function hopefulMeshes(problem: Problem, replicasOn: ReplicasOn, hopes: Hopes): readonly Mesh[] {
  const { chips } = problem.cluster
  const constraints = searchedConstraints(problem)
  const may = (axis: Axis, size: number) => satisfies(size, constraints[axis])
  const question = trainedQuestion(problem)
  const ofReplicas = trainedLevels.at(-1) ?? []
  const found: Mesh[] = []
  for (const { replica, count } of replicasOn(chips)) {
    const { pipeline, expert } = replica.mesh
    if (!hopes.work(chips, count) || !hopes.stages(chips, count, pipeline)) continue
    if (!hopes.replica(replica, sequencesEach(problem, count))) continue
    for (const fsdp of divisorsOf(count / expert)) {
      const mesh: Mesh = { ...replica.mesh, fsdp, data: count / expert / fsdp }
      if (!may('fsdp', fsdp) || !may('data', mesh.data)) continue
      if (zeroChoices(mesh, problem).length === 0 || !keeps(ofReplicas, { mesh, question })) continue
      found.push(sameMesh(mesh))
    }
  }
  return found
}
