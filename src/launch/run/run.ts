/** What a framework has to be told of a plan, in whole numbers where it needs them. */

import type { CostModel } from '../../cost/model.ts'
import type { Placement } from '../../hardware/network/placement.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Problem } from '../../problem.ts'
import { keepEverything } from '../../recipe/policy.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { Candidate, Layout, OpenLayout } from '../../search/layouts/candidate.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'

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

/** What is known of a run when its mesh is. */
export type MeshRun = Pick<Run, 'problem' | 'model' | 'mesh' | 'replicas' | 'sequenceLength'>

/** When its ZeRO stage, microbatches and schedule are. */
export type LayoutRun = MeshRun &
  Pick<
    Run,
    'zeroStage' | 'contextLayout' | 'schedule' | 'microbatch' | 'sequences' | 'microbatches' | 'globalBatch'
  >

/** When its layers are cut into stages. */
export type CutRun = LayoutRun & Pick<Run, 'stageLayers'>

export function meshRun(problem: Problem, mesh: Mesh): MeshRun {
  const { model, workload } = problem
  return { problem, model, mesh, replicas: replicasOf(mesh), sequenceLength: workload.sequenceLength }
}

/** Written out, as every layout of a search is asked for it: spreading the mesh's takes longer than the rules. */
export function layoutRun(problem: Problem, layout: OpenLayout): LayoutRun {
  const { mesh, zeroStage, contextLayout, schedule, sequences, microbatches } = layout
  const { model, workload } = problem
  const replicas = replicasOf(mesh)
  return {
    problem,
    model,
    mesh,
    replicas,
    sequenceLength: workload.sequenceLength,
    zeroStage,
    contextLayout,
    schedule,
    microbatch: sequences / replicas,
    sequences,
    microbatches,
    globalBatch: sequences * microbatches,
  }
}

export function cutRun(problem: Problem, layout: OpenLayout & Pick<Layout, 'stageLayers'>): CutRun {
  return { ...layoutRun(problem, layout), stageLayers: layout.stageLayers }
}

export function launchRun(model: CostModel, candidate: Omit<Candidate, 'score'>): Run {
  return {
    ...cutRun(model.problem, candidate),
    placement: candidate.placement,
    recomputation: recomputation(model, candidate),
  }
}

/** Where no stage has more layers than those of the other policy, that is the only one. */
function recomputation(
  { policies }: CostModel,
  { mix, stageLayers }: Pick<Candidate, 'mix' | 'stageLayers'>,
): Recomputation {
  const name = (policy: number) => policies[policy]?.name ?? keepEverything.name
  const mixed = mix.count > 0 && stageLayers.some((layers) => layers > mix.count)
  if (mixed) return { policy: name(mix.policy), other: name(mix.other), count: mix.count }
  const policy = name(mix.count > 0 ? mix.other : mix.policy)
  return { policy, other: policy, count: 0 }
}
