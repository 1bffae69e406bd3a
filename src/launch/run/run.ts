/** What a framework is told of a plan, in whole numbers where it needs them. */

import type { Mix } from '../../cost/memory/stage-memory.ts'
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

/** On each stage, `count` layers use `other` and the rest `policy`; all use `policy` if `count` is 0. */
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
  /** How attention reaches keys on other chips, if the context axis is larger than 1. */
  readonly contextLayout: ContextLayout
  /** data x fsdp x expert: parts of the batch that are computed at the same time. */
  readonly replicas: number
  readonly schedule: Schedule
  readonly stageLayers: readonly number[]
  readonly recomputation: Recomputation
  readonly sequenceLength: number
  /** Sequences of one microbatch: per replica (`microbatch`), and over all replicas (`sequences`). */
  readonly microbatch: number
  readonly sequences: number
  readonly microbatches: number
  /** Sequences of one step: microbatch x microbatches x replicas. */
  readonly globalBatch: number
}

/** The part of a run that is known once its mesh is. */
export type MeshRun = Pick<Run, 'problem' | 'model' | 'mesh' | 'replicas' | 'sequenceLength'>

/** The part that is known once its ZeRO stage, microbatches and schedule are. */
export type LayoutRun = MeshRun &
  Pick<
    Run,
    'zeroStage' | 'contextLayout' | 'schedule' | 'microbatch' | 'sequences' | 'microbatches' | 'globalBatch'
  >

/** The part that is known once its layers are divided into stages. */
export type CutRun = LayoutRun & Pick<Run, 'stageLayers'>

export function meshRun(problem: Problem, mesh: Mesh): MeshRun {
  const { model, workload } = problem
  return { problem, model, mesh, replicas: replicasOf(mesh), sequenceLength: workload.sequenceLength }
}

/**
 * One is made for every layout of a search, so that its fields are written out: spreading would take longer than the rules. And in a constructor: a
 * literal that has had a fraction where there were whole numbers before (by the book, microbatches need not be whole) goes on making objects of
 * the old form in V8 of Node 20, each of which is brought into the new one when it is first read, which took longer than the rules as well.
 */
class OpenRun implements LayoutRun {
  readonly problem: Problem
  readonly model: Transformer
  readonly mesh: Mesh
  readonly replicas: number
  readonly sequenceLength: number
  readonly zeroStage: ZeroStage
  readonly contextLayout: ContextLayout
  readonly schedule: Schedule
  readonly microbatch: number
  readonly sequences: number
  readonly microbatches: number
  readonly globalBatch: number

  constructor(problem: Problem, layout: OpenLayout) {
    const { mesh, sequences, microbatches } = layout
    const replicas = replicasOf(mesh)
    this.problem = problem
    this.model = problem.model
    this.mesh = mesh
    this.replicas = replicas
    this.sequenceLength = problem.workload.sequenceLength
    this.zeroStage = layout.zeroStage
    this.contextLayout = layout.contextLayout
    this.schedule = layout.schedule
    this.microbatch = sequences / replicas
    this.sequences = sequences
    this.microbatches = microbatches
    this.globalBatch = sequences * microbatches
  }
}

export function layoutRun(problem: Problem, layout: OpenLayout): LayoutRun {
  return new OpenRun(problem, layout)
}

export function cutRun(problem: Problem, layout: OpenLayout & Pick<Layout, 'stageLayers'>): CutRun {
  return { ...layoutRun(problem, layout), stageLayers: layout.stageLayers }
}

export function launchRun(model: CostModel, candidate: Omit<Candidate, 'score'>): Run {
  return wholeRun(model, cutRun(model.problem, candidate), candidate.placement, candidate.mix)
}

export function wholeRun(model: CostModel, cut: CutRun, placement: Placement, mix: Mix): Run {
  return { ...cut, placement, recomputation: recomputation(model, mix, cut.stageLayers) }
}

/** If no stage has more than `count` layers, the other policy is the only one. */
function recomputation({ policies }: CostModel, mix: Mix, stageLayers: readonly number[]): Recomputation {
  const name = (policy: number) => policies[policy]?.name ?? keepEverything.name
  const mixed = mix.count > 0 && stageLayers.some((layers) => layers > mix.count)
  if (mixed) return { policy: name(mix.policy), other: name(mix.other), count: mix.count }
  const policy = name(mix.count > 0 ? mix.other : mix.policy)
  return { policy, other: policy, count: 0 }
}
