/**
 * What to type to run a plan, per framework: Megatron-LM and torchtitan on GPUs, MaxText on either. A framework that
 * cannot run the plan says why, and gets no flags. `notes` are what flags cannot say.
 */

import type { CostModel } from '../cost/model.ts'
import type { Chip } from '../hardware/chip.ts'
import { layersByPolicy, type PolicyLayers } from '../plan/summary.ts'
import type { Problem } from '../problem.ts'
import { elementBytes } from '../recipe/element-type.ts'
import type { Accepts, Candidate } from '../search/candidate.ts'
import { type Mesh, unitMesh } from '../sharding/axis.ts'
import { ofKind, type Trainer, trainers } from './framework.ts'
import type { Launch } from './launch.ts'
import { maxtext, maxtextRefusals } from './maxtext/config.ts'
import { maxtextMeshFaults } from './maxtext/rules.ts'
import { megatron, megatronRefusals } from './megatron/flags.ts'
import { megatronMeshFaults } from './megatron/rules.ts'
import { launchRun, type MeshRun, type Run } from './run/run.ts'
import { torchtitan, torchtitanRefusals } from './torchtitan/config.ts'
import { torchtitanMeshFaults } from './torchtitan/rules.ts'

interface Launcher {
  readonly chips: readonly Chip['kind'][]
  readonly launch: (run: Run) => Launch<unknown>
  /** Whether it can be told of two rematerialisation policies. */
  readonly mixes: boolean
  /** Why no plan of a mesh can be launched. */
  readonly meshRefusals: (run: MeshRun) => readonly string[]
  /** Why a plan cannot be; none where it can. */
  readonly refusals: (run: Run) => readonly string[]
}

const launchers: Readonly<Record<Trainer, Launcher>> = {
  megatron: {
    chips: ['gpu'],
    launch: megatron,
    mixes: true,
    meshRefusals: megatronMeshFaults,
    refusals: megatronRefusals,
  },
  maxtext: {
    chips: ['gpu', 'tpu'],
    launch: maxtext,
    mixes: false,
    meshRefusals: maxtextMeshFaults,
    refusals: maxtextRefusals,
  },
  torchtitan: {
    chips: ['gpu'],
    launch: torchtitan,
    mixes: true,
    meshRefusals: torchtitanMeshFaults,
    refusals: torchtitanRefusals,
  },
}

export function launch(
  model: CostModel,
  candidate: Candidate,
  policies: readonly PolicyLayers[],
): Readonly<Record<string, unknown>> {
  const run = launchRun(model, candidate, policies)
  const launches = Object.entries(launchers)
    .filter(([, { chips }]) => chips.includes(run.problem.cluster.chip.kind))
    .map(([name, launcher]) => [name, launcher.launch(run)] as const)
  const framework = ([name, launched]: readonly [string, Launch<unknown>]) => [
    name,
    'flags' in launched ? launched.flags : launched,
  ]
  const own = launches.flatMap(([, launched]) => ('flags' in launched ? launched.notes : []))
  const any = launches.some(([, launched]) => 'flags' in launched)
  const notes = any ? [...paddingNotes(run), ...memoryNotes(run), ...own, ...scopeNotes(run)] : []
  return { ...Object.fromEntries(launches.map(framework)), ...(any ? { notes } : {}) }
}

/**
 * What the search lists: plans that one of the assumed frameworks can launch. Null where it lists all: where none is
 * assumed, or none of those runs the model on these chips in these types of numbers, whatever the layout. So that it hangs on
 * no constraint, budget or number of chips, and more of these never make the first plan slower.
 */
export function launchable(model: CostModel): Accepts | null {
  const { problem } = model
  const able = ableFrameworks(problem).map((name) => launchers[name])
  if (able.length === 0) return null
  return {
    mixes: able.some(({ mixes }) => mixes),
    mesh: (mesh) => able.some(({ meshRefusals }) => meshRefusals(meshRun(problem, mesh)).length === 0),
    plan: (candidate) => {
      const run = launchRun(model, candidate, layersByPolicy(model, candidate))
      return able.some(({ refusals }) => refusals(run).length === 0)
    },
  }
}

/** Of the assumed frameworks those that run some plan on one chip. */
function ableFrameworks(problem: Problem): readonly Trainer[] {
  const { assumptions, cluster } = problem
  return ofKind(trainers, assumptions.frameworks).filter((name) => {
    const { chips, meshRefusals } = launchers[name]
    return chips.includes(cluster.chip.kind) && meshRefusals(meshRun(problem, unitMesh)).length === 0
  })
}

function meshRun(problem: Problem, mesh: Mesh): MeshRun {
  return { problem, model: problem.model, mesh, sequenceLength: problem.workload.sequenceLength }
}

/** By assumed framework of such chips, why it cannot launch a plan; none of one that can. */
export function launchRefusals(
  model: CostModel,
  candidate: Omit<Candidate, 'score'>,
): Readonly<Record<string, readonly string[]>> {
  const run = launchRun(model, candidate, layersByPolicy(model, candidate))
  const { assumptions, cluster } = model.problem
  const asked = ofKind(trainers, assumptions.frameworks).filter((name) =>
    launchers[name].chips.includes(cluster.chip.kind),
  )
  return Object.fromEntries(asked.map((name) => [name, launchers[name].refusals(run)]))
}

function scopeNotes({ model }: Run): readonly string[] {
  return [
    ...(model.experts ? ['How a router scores experts and balances them is not part of a plan.'] : []),
    'Data, tokenizer, learning rate, norms, biases and kinds of positions are not part of a plan.',
  ]
}

function paddingNotes({ globalBatch, sequenceLength, problem }: Run): readonly string[] {
  const asked = problem.workload.batchTokens
  const sequences = Number((asked / sequenceLength).toPrecision(6))
  if (globalBatch * sequenceLength === asked) return []
  return [
    `The batch of ${sequences} sequences (${asked} tokens) is rounded up to ${globalBatch} that divide evenly.`,
  ]
}

function memoryNotes({ problem: { assumptions, precision } }: Run): readonly string[] {
  const lacking = [
    ...(assumptions.masterWeights || elementBytes[precision.weights] >= elementBytes.fp32
      ? []
      : ['master weights']),
    ...(assumptions.gradientBuffer ? [] : ['a gradient buffer']),
  ]
  if (lacking.length === 0) return []
  return [`The plan's memory is counted without ${lacking.join(' and ')}, which the frameworks keep.`]
}
