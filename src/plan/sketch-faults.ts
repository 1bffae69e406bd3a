/** What no framework could run of a written plan, with pointers into the request. */
import { policyNames } from '../cost/policies.ts'
import { runsDualPipe } from '../cost/split-backward.ts'
import { placements } from '../hardware/placement.ts'
import type { PlanSketch, Problem } from '../problem.ts'
import { meshFaults } from '../search/meshes.ts'
import { sketchedPlacements } from '../search/sketch.ts'
import { meshSize, replicasOf } from '../sharding/axis.ts'
import { contextLayoutFits } from '../sharding/context-layout.ts'
import type { IllegalPlan } from './plan.ts'

type Faults = IllegalPlan['illegal']

export function sketchFaults(problem: Problem, sketch: PlanSketch): Faults {
  const size = meshSize(sketch.mesh)
  const { chips, network } = problem.cluster
  if (size !== chips) {
    return [{ pointer: '/plan/mesh', detail: `the axes multiply to ${size}, and there are ${chips} chips` }]
  }
  const mesh = meshFaults(sketch.mesh, problem).map(({ axis, detail }) => ({
    pointer: `/plan/mesh/${axis}`,
    detail,
  }))
  if (mesh.length > 0) return mesh
  const topology =
    network.kind === 'torus' && placements(network, sketch.mesh).length === 0
      ? [
          {
            pointer: '/plan/mesh',
            detail: `the axes cannot be laid on the ${network.topology.join('x')} torus`,
          },
        ]
      : []
  return [
    ...topology,
    ...placementFaults(problem, sketch),
    ...contextFaults(problem, sketch),
    ...scheduleFaults(problem, sketch),
    ...policyFaults(problem, sketch),
  ]
}

function contextFaults({ model }: Problem, { contextLayout, mesh }: PlanSketch): Faults {
  if (contextLayout === undefined || contextLayoutFits(contextLayout, mesh, model)) return []
  const pointer = '/plan/contextLayout'
  if (mesh.context === 1) return [{ pointer, detail: 'the context axis is 1: there is nothing to lay out' }]
  const detail = `ulysses shards ${model.kvHeads} key-value heads over tensor x tensor2 x context = ${mesh.tensor * mesh.tensor2 * mesh.context}, which does not divide them`
  return [{ pointer, detail }]
}

function placementFaults(problem: Problem, sketch: PlanSketch): Faults {
  if (!sketch.placement) return []
  if (problem.cluster.network.kind === 'switched') {
    return [
      {
        pointer: '/plan/placement',
        detail: 'a switched network places axes by rank order; it has no physical axes',
      },
    ]
  }
  const { placements: matching } = sketchedPlacements(problem, sketch)
  return matching?.length === 0
    ? [
        {
          pointer: '/plan/placement',
          detail: 'no placement of the mesh puts these axes on these physical axes',
        },
      ]
    : []
}

function scheduleFaults({ model, workload }: Problem, sketch: PlanSketch): Faults {
  const { mesh, pipelineSchedule, virtualStages = 1, microbatches, zeroStage } = sketch
  const faults: { pointer: string; detail: string }[] = []
  if (mesh.pipeline === 1 && pipelineSchedule !== undefined && pipelineSchedule !== 'none') {
    faults.push({
      pointer: '/plan/pipelineSchedule',
      detail: 'the pipeline axis is 1: there is nothing to schedule',
    })
  }
  if (mesh.pipeline > 1 && pipelineSchedule === 'none') {
    faults.push({ pointer: '/plan/pipelineSchedule', detail: `${mesh.pipeline} stages need a schedule` })
  }
  if (
    virtualStages > 1 &&
    (mesh.pipeline === 1 || (pipelineSchedule ?? 'interleaved-1f1b') !== 'interleaved-1f1b')
  ) {
    faults.push({ pointer: '/plan/virtualStages', detail: 'only interleaved-1f1b has virtual stages' })
  }
  if (pipelineSchedule === 'dualpipe' && mesh.pipeline > 1) {
    const odd = mesh.pipeline % 2 !== 0
    if (odd || (microbatches !== undefined && !runsDualPipe(mesh.pipeline, microbatches))) {
      faults.push({
        pointer: odd ? '/plan/mesh/pipeline' : '/plan/microbatches',
        detail:
          'dualpipe needs an even number of stages, and an even number of microbatches, at least two for each stage',
      })
    }
  }
  if (mesh.pipeline * virtualStages > model.layers) {
    faults.push({
      pointer: '/plan/virtualStages',
      detail: `${mesh.pipeline} x ${virtualStages} virtual stages for ${model.layers} layers`,
    })
  }
  const sequences = Math.ceil(workload.batchTokens / workload.sequenceLength)
  const each = Math.ceil(sequences / replicasOf(mesh))
  if (microbatches !== undefined && microbatches > Math.max(1, each) && replicasOf(mesh) <= sequences) {
    faults.push({
      pointer: '/plan/microbatches',
      detail: `a replica has ${each} sequences of the batch, fewer than ${microbatches} microbatches`,
    })
  }
  if (zeroStage === 0 && mesh.fsdp > 1) {
    faults.push({ pointer: '/plan/zeroStage', detail: 'stage 0 shards nothing: use data, not fsdp' })
  }
  return faults
}

function policyFaults({ assumptions, model }: Problem, { rematerialization }: PlanSketch): Faults {
  const pointer = '/plan/rematerialization'
  const counted =
    typeof rematerialization === 'string'
      ? [{ policy: rematerialization, layers: model.layers }]
      : (rematerialization ?? [])
  const offered = policyNames(assumptions.activations)
  const faults = counted
    .filter(({ policy }) => !offered.includes(policy))
    .map(({ policy }) => ({
      pointer,
      detail: `the policy ${policy} is not known under these assumptions: ${offered.join(', ')}`,
    }))
  if (counted.length > 2) faults.push({ pointer, detail: 'a plan mixes at most two policies' })
  const layers = counted.reduce((sum, own) => sum + own.layers, 0)
  if (counted.length > 0 && layers !== model.layers) {
    faults.push({ pointer, detail: `the counts make ${layers} layers; the model has ${model.layers}` })
  }
  return faults
}
