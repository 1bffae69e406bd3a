/** What no framework could run of a written plan, with pointers into the request. */

import { placements } from '../../hardware/network/placement.ts'
import type { PlanSketch, Problem } from '../../problem.ts'
import { policyNames } from '../../recipe/policy.ts'
import { hasVirtualStages, scheduleRow, scheduleRows } from '../../recipe/schedule.ts'
import { meshFaults } from '../../search/meshes.ts'
import { replicasOf } from '../../sharding/axis.ts'
import { contextLayoutFits, contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import { counted } from '../explain/figures.ts'
import type { IllegalPlan, PlanFault } from '../plan.ts'
import { meshSizeFault } from './mesh-size-fault.ts'
import { sketchedPlacements } from './sketched-placement.ts'

type Faults = IllegalPlan['illegal']

export function sketchFaults(problem: Problem, sketch: PlanSketch): Faults {
  const { chips, network } = problem.cluster
  const size = meshSizeFault(sketch.mesh, chips, ['data', 'fsdp'])
  if (size) return [size]
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
    ...(topology.length > 0 ? [] : sketchedPlacements(problem, sketch).faults),
    ...contextFaults(problem, sketch),
    ...scheduleFaults(problem, sketch),
    ...microbatchFaults(problem, sketch),
    ...stageFaults(problem, sketch),
    ...policyFaults(problem, sketch),
  ]
}

function contextFaults({ model }: Problem, { contextLayout, mesh }: PlanSketch): Faults {
  if (contextLayout === undefined || contextLayoutFits(contextLayout, mesh, model)) return []
  const pointer = '/plan/contextLayout'
  if (mesh.context === 1) return [{ pointer, detail: 'the context axis is 1: there is nothing to lay out' }]
  const needs = contextLayoutRow(contextLayout).needs
  return needs ? [{ pointer, detail: needs.says(mesh, model) }] : []
}

function scheduleFaults({ model }: Problem, sketch: PlanSketch): Faults {
  const { mesh, pipelineSchedule, virtualStages = 1, microbatches, zeroStage } = sketch
  const faults: PlanFault[] = []
  const named = pipelineSchedule === undefined ? null : scheduleRow({ name: pipelineSchedule })
  if (mesh.pipeline === 1 && named?.pipelined) {
    faults.push({
      pointer: '/plan/pipelineSchedule',
      detail: 'the pipeline axis is 1: there is nothing to schedule',
    })
  }
  if (mesh.pipeline > 1 && named?.pipelined === false) {
    faults.push({ pointer: '/plan/pipelineSchedule', detail: `${mesh.pipeline} stages need a schedule` })
  }
  if (virtualStages > 1 && (mesh.pipeline === 1 || (named && !hasVirtualStages(named)))) {
    const names = scheduleRows.filter(hasVirtualStages).map(({ name }) => name)
    faults.push({ pointer: '/plan/virtualStages', detail: `only ${names.join(' or ')} has virtual stages` })
  }
  if (named?.needs && mesh.pipeline > 1) {
    const { stages, microbatches: divided, says } = named.needs
    const detail = `${named.name} needs ${says}`
    if (!stages(mesh.pipeline)) faults.push({ pointer: '/plan/mesh/pipeline', detail })
    else if (microbatches !== undefined && !divided(microbatches, mesh.pipeline)) {
      faults.push({ pointer: '/plan/microbatches', detail })
    }
  }
  if (mesh.pipeline * virtualStages > model.layers) {
    faults.push({
      pointer: '/plan/virtualStages',
      detail: `${mesh.pipeline} x ${virtualStages} virtual stages for ${model.layers} layers`,
    })
  }
  if (zeroStage === 0 && mesh.fsdp > 1) {
    faults.push({ pointer: '/plan/zeroStage', detail: 'stage 0 shards nothing: use data, not fsdp' })
  }
  if (zeroStage === 3 && mesh.fsdp * mesh.context * mesh.expert === 1 && mesh.data > 1) {
    faults.push({
      pointer: '/plan/zeroStage',
      detail: `stage 3 shards weights over fsdp, which is 1, and data holds whole replicas: write the ${mesh.data} of data as fsdp`,
      correction: [
        { pointer: '/plan/mesh/data', value: 1 },
        { pointer: '/plan/mesh/fsdp', value: mesh.data },
      ],
    })
  }
  return faults
}

/** Written twice, a microbatch has to be the same both times. */
function microbatchFaults(
  { workload, assumptions }: Problem,
  { mesh, microbatches, microbatchTokens }: PlanSketch,
): Faults {
  const { batchTokens, sequenceLength } = workload
  const replicas = replicasOf(mesh)
  const sequences = Math.ceil(batchTokens / sequenceLength)
  const each = Math.ceil(sequences / replicas)
  if (microbatches === undefined) return []
  const free = assumptions.tokensDivideFreely
  if (!free && microbatches > Math.max(1, each) && replicas <= sequences) {
    const detail = `a replica has ${counted(each, 'sequence')} of the batch, fewer than ${microbatches} microbatches`
    return [{ pointer: '/plan/microbatches', detail }]
  }
  if (microbatchTokens === undefined) return []
  const tokens = free
    ? batchTokens / replicas / microbatches
    : Math.ceil(each / microbatches) * sequenceLength
  if (Math.abs(microbatchTokens - tokens) <= 1e-9 * tokens) return []
  const detail = `${counted(microbatches, 'microbatch')} of a replica's share of the batch ${microbatches === 1 ? 'is' : 'are'} ${tokens} tokens each, not ${microbatchTokens}: leave one of the two out`
  const pointer = '/plan/microbatchTokens'
  return [{ pointer, detail, correction: [{ pointer, value: null }] }]
}

function stageFaults({ model }: Problem, { mesh, stageLayers }: PlanSketch): Faults {
  if (stageLayers === undefined) return []
  const pointer = '/plan/stageLayers'
  if (stageLayers.length !== mesh.pipeline) {
    const detail = `layers of ${counted(stageLayers.length, 'stage')}; the pipeline axis is ${mesh.pipeline}`
    return [{ pointer, detail }]
  }
  const layers = stageLayers.reduce((sum, own) => sum + own, 0)
  if (Math.abs(layers - model.layers) <= 1e-9 * layers) return []
  return [{ pointer, detail: `the stages have ${layers} layers; the model has ${model.layers}` }]
}

function policyFaults({ assumptions, model }: Problem, { rematerialization }: PlanSketch): Faults {
  const pointer = '/plan/rematerialization'
  const policies =
    typeof rematerialization === 'string'
      ? [{ policy: rematerialization, layers: model.layers }]
      : (rematerialization ?? [])
  const offered = policyNames(assumptions.activations)
  const faults = policies
    .filter(({ policy }) => !offered.includes(policy))
    .map(({ policy }) => ({
      pointer,
      detail: `the policy ${policy} is not known under these assumptions: ${offered.join(', ')}`,
    }))
  if (policies.length > 2) faults.push({ pointer, detail: 'a plan mixes at most two policies' })
  const layers = policies.reduce((sum, own) => sum + own.layers, 0)
  if (rematerialization !== undefined && Math.abs(layers - model.layers) > 1e-9 * model.layers) {
    faults.push({ pointer, detail: `the counts make ${layers} layers; the model has ${model.layers}` })
  }
  const whole = policies.every((own) => Number.isInteger(own.layers))
  if (!whole && !assumptions.tokensDivideFreely) {
    faults.push({ pointer, detail: 'layers are whole, but for assumptions under which they divide freely' })
  }
  return faults
}
