/** What a framework has to be told of a plan, in whole numbers where it needs them. */

import type { CostModel } from '../../cost/model.ts'
import type { Placement } from '../../hardware/placement.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { PolicyLayers } from '../../plan/summary.ts'
import type { Problem } from '../../problem.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Candidate } from '../../search/candidate.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { ContextLayout } from '../../sharding/context-layouts.ts'
import type { ZeroStage } from '../../sharding/states.ts'

/** On every stage `count` layers use `other` and the rest `policy`; one policy for all where count is 0. */
export interface Recomputation {
  readonly policy: string
  readonly other: string
  readonly count: number
}

export interface Run {
  readonly problem: Problem
  readonly model: Transformer
  readonly mesh: Mesh
  readonly placement: Placement
  readonly zeroStage: ZeroStage
  /** How attention meets the keys of other chips, where the context axis is larger than 1. */
  readonly contextLayout: ContextLayout
  /** data x fsdp x expert: parts of the batch that are computed side by side. */
  readonly replicas: number
  readonly schedule: Schedule
  readonly stageLayers: readonly number[]
  readonly recomputation: Recomputation
  readonly sequenceLength: number
  /** Sequences of one microbatch, on one replica and over all of them. */
  readonly microbatch: number
  readonly sequences: number
  readonly microbatches: number
  /** Sequences of one step: microbatch x microbatches x replicas. */
  readonly globalBatch: number
}

/** What is known of a run before anything but its mesh is. */
export type MeshRun = Pick<Run, 'problem' | 'model' | 'mesh' | 'sequenceLength'>

export function launchRun(
  { problem }: CostModel,
  candidate: Omit<Candidate, 'score'>,
  policies: readonly PolicyLayers[],
): Run {
  const { mesh, placement, zeroStage, contextLayout, schedule, stageLayers, sequences, microbatches } =
    candidate
  const replicas = replicasOf(mesh)
  return {
    problem,
    model: problem.model,
    mesh,
    placement,
    zeroStage,
    contextLayout,
    replicas,
    schedule,
    stageLayers,
    recomputation: recomputation(candidate, policies),
    sequenceLength: problem.workload.sequenceLength,
    microbatch: sequences / replicas,
    sequences,
    microbatches,
    globalBatch: sequences * microbatches,
  }
}

function recomputation(
  { mix }: Pick<Candidate, 'mix'>,
  [first, second]: readonly PolicyLayers[],
): Recomputation {
  const policy = first?.policy ?? 'none'
  return second ? { policy, other: second.policy, count: mix.count } : { policy, other: policy, count: 0 }
}
