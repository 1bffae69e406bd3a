/** A plan made by hand, in the form that the search returns, and its launch. */

import { costModel } from '../../src/cost/compiled-model.ts'
import type { CostModel } from '../../src/cost/model.ts'
import { stageGroups } from '../../src/cost/step/stages.ts'
import { type Placement, placements } from '../../src/hardware/network/placement.ts'
import type { Start } from '../../src/launch/start.ts'
import { launch } from '../../src/launch/training.ts'
import { policyNames } from '../../src/recipe/policy.ts'
import type { Schedule } from '../../src/recipe/schedule.ts'
import type { Candidate } from '../../src/search/layouts/candidate.ts'
import { type Mesh, unitMesh } from '../../src/sharding/axis.ts'
import type { ZeroStage } from '../../src/sharding/states.ts'
import type { ContextLayout } from '../../src/sharding/tables/context-layouts.ts'
import { type ProblemOptions, problem } from '../problem.ts'

/** What launches are tried in: gradients in fp32, as Megatron-LM has them. */
export const launchedPrecision = {
  weights: 'bf16',
  compute: 'bf16',
  kvCache: 'bf16',
  gradients: 'fp32',
  optimizer: 'fp32',
} as const

export interface HandMade {
  readonly mesh: Partial<Mesh>
  readonly zeroStage?: ZeroStage
  readonly contextLayout?: ContextLayout
  readonly microbatches?: number
  readonly sequences?: number
  readonly schedule?: Schedule
  readonly stageLayers?: readonly number[]
  /** One policy for all, or one for the rest and one for `count` layers of each stage. */
  readonly policies?: readonly [string] | readonly [string, string, number]
  readonly placement?: (all: readonly Placement[]) => Placement | undefined
}

export interface Launched {
  readonly megatron?: readonly string[] | Unsupported
  readonly maxtext?: Readonly<Record<string, unknown>> | Unsupported
  readonly torchtitan?: string | Unsupported
  readonly commands?: Readonly<Partial<Record<string, Start>>>
  readonly notes?: readonly string[]
}

interface Unsupported {
  readonly unsupported: readonly string[]
}

export function launched(options: ProblemOptions, plan: HandMade): Launched {
  return launchedPlan(costModel(problem({ rematerialization: policyNames('counted'), ...options })), plan)
}

export function launchedPlan(model: CostModel, plan: HandMade): Launched {
  const asked = model.problem
  const mesh: Mesh = { ...unitMesh, ...plan.mesh }
  const { microbatches = 1, schedule = { name: 'none', virtualStages: 1 } } = plan
  const stages = mesh.pipeline
  const layers = asked.model.layers
  const stageLayers = plan.stageLayers ?? Array.from({ length: stages }, () => layers / stages)
  const all = placements(asked.cluster.network, mesh)
  const placement = plan.placement ? plan.placement(all) : all[0]
  if (!placement) throw new RangeError('no such placement')
  const [policy, other = policy, count = 0] = plan.policies ?? ['none']
  const index = (name: string) => model.policies.findIndex((known) => known.name === name)
  const whole = asked.workload.batchTokens / asked.workload.sequenceLength
  const candidate: Candidate = {
    cluster: asked.cluster,
    mesh,
    contextLayout: plan.contextLayout ?? model.contextLayout,
    zeroStage: plan.zeroStage ?? (mesh.fsdp > 1 ? 3 : 0),
    microbatches,
    sequences: plan.sequences ?? whole / microbatches,
    schedule,
    stageLayers,
    groups: stageGroups(stageLayers, schedule, microbatches),
    placement,
    mix: { policy: index(policy), other: index(other), count },
    score: 0,
  }
  return launch(model, candidate) as Launched
}
