/**
 * What may not be of a layout of training that somebody wrote on a mesh that is legal, a row each. The search makes none that breaks one: its
 * choices (search/choices.ts) are made of the same columns of schedules, context layouts and policies that are asked here.
 */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { counted } from '../plan/explain/figures.ts'
import type { PlanSketch, Problem } from '../problem.ts'
import { policyNames } from '../recipe/policy.ts'
import { hasVirtualStages, scheduleRow, scheduleRows } from '../recipe/schedule.ts'
import type { ScheduleRow } from '../recipe/schedule-row.ts'
import { replicasOf } from '../sharding/axis.ts'
import { contextLayoutFits, contextLayoutRow, contextLayouts } from '../sharding/tables/context-layout.ts'
import { axisPointer, changes, resized, sizesOf } from './mesh-ways.ts'
import { leftOut, type PartRule, type Way } from './part-rule.ts'

export interface LayoutRead {
  readonly problem: Problem
  readonly sketch: PlanSketch
}

/** The parts of a written layout. */
export type LayoutPart = keyof PlanSketch

type LayoutRule = PartRule<LayoutRead, LayoutPart>

const contextRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'contextLayout'],
    broken: (read) => read.sketch.mesh.context === 1 && isUnfit(read),
    says: 'the context axis is 1: there is nothing to lay out',
    pointer: '/plan/contextLayout',
    nearest: () => leftOut('contextLayout'),
  },
  {
    reads: ['mesh', 'contextLayout'],
    broken: (read) => read.sketch.mesh.context > 1 && isUnfit(read),
    says: ({ problem, sketch: { contextLayout, mesh } }) =>
      (contextLayout && contextLayoutRow(contextLayout).needs?.says(mesh, problem.model)) ?? '',
    pointer: '/plan/contextLayout',
    nearest: ({ problem: { model }, sketch: { mesh } }) =>
      contextLayouts
        .filter((name) => contextLayoutFits(name, mesh, model))
        .map((value) => [{ pointer: '/plan/contextLayout', value }]),
  },
]

function isUnfit({ problem: { model }, sketch: { contextLayout, mesh } }: LayoutRead): boolean {
  return contextLayout !== undefined && !contextLayoutFits(contextLayout, mesh, model)
}

const scheduleRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'pipelineSchedule'],
    broken: ({ sketch }) => sketch.mesh.pipeline === 1 && named(sketch)?.pipelined === true,
    says: 'the pipeline axis is 1: there is nothing to schedule',
    pointer: '/plan/pipelineSchedule',
    nearest: () => leftOut('pipelineSchedule'),
  },
  {
    reads: ['mesh', 'pipelineSchedule'],
    broken: ({ sketch }) => sketch.mesh.pipeline > 1 && named(sketch)?.pipelined === false,
    says: ({ sketch }) => `${sketch.mesh.pipeline} stages need a schedule`,
    pointer: '/plan/pipelineSchedule',
    nearest: () => leftOut('pipelineSchedule'),
  },
  {
    reads: ['mesh', 'pipelineSchedule', 'virtualStages'],
    broken: ({ sketch }) => {
      const row = named(sketch)
      return chunks(sketch) > 1 && (sketch.mesh.pipeline === 1 || (row !== null && !hasVirtualStages(row)))
    },
    says: () => {
      const names = scheduleRows.filter(hasVirtualStages).map(({ name }) => name)
      return `only ${names.join(' or ')} has virtual stages`
    },
    pointer: '/plan/virtualStages',
    nearest: () => leftOut('virtualStages'),
  },
  {
    reads: ['mesh', 'pipelineSchedule'],
    broken: ({ sketch }) => needsOf(sketch)?.stages(sketch.mesh.pipeline) === false,
    says: saysNeeds,
    pointer: axisPointer('pipeline'),
    nearest: ({ problem, sketch }) => {
      const needs = needsOf(sketch)
      const sizes = sizesOf(sketch.mesh, 'pipeline').filter((size) => {
        return size <= problem.model.layers && needs?.stages(size)
      })
      return resized(sketch.mesh, 'pipeline', sizes)
    },
  },
  {
    reads: ['mesh', 'pipelineSchedule', 'microbatches'],
    broken: ({ sketch }) => {
      const needs = needsOf(sketch)
      const { mesh, microbatches } = sketch
      if (!needs || microbatches === undefined || !needs.stages(mesh.pipeline)) return false
      return !needs.microbatches(microbatches, mesh.pipeline)
    },
    says: saysNeeds,
    pointer: '/plan/microbatches',
    nearest: ({ problem, sketch }) => {
      const needs = needsOf(sketch)
      return divisorsOf(sequencesEach(problem, sketch))
        .filter((count) => needs?.microbatches(count, sketch.mesh.pipeline))
        .map((value) => [{ pointer: '/plan/microbatches', value }])
    },
  },
  {
    reads: ['mesh', 'virtualStages'],
    broken: ({ problem, sketch }) => sketch.mesh.pipeline * chunks(sketch) > problem.model.layers,
    says: ({ problem, sketch }) =>
      `${sketch.mesh.pipeline} x ${chunks(sketch)} virtual stages for ${problem.model.layers} layers`,
    pointer: '/plan/virtualStages',
    nearest: ({ problem, sketch: { mesh } }) => {
      const value = Math.floor(problem.model.layers / mesh.pipeline)
      return value > 1 ? [[{ pointer: '/plan/virtualStages', value }]] : leftOut('virtualStages')
    },
  },
]

/** The row of a schedule that is written. */
function named({ pipelineSchedule }: PlanSketch): ScheduleRow | null {
  return pipelineSchedule === undefined ? null : scheduleRow({ name: pipelineSchedule })
}

function needsOf(sketch: PlanSketch): ScheduleRow['needs'] {
  return sketch.mesh.pipeline > 1 ? (named(sketch)?.needs ?? null) : null
}

function saysNeeds({ sketch }: LayoutRead): string {
  return `${sketch.pipelineSchedule} needs ${needsOf(sketch)?.says}`
}

function chunks({ virtualStages = 1 }: PlanSketch): number {
  return virtualStages
}

const stateRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'zeroStage'],
    broken: ({ sketch: { zeroStage, mesh } }) => zeroStage === 0 && mesh.fsdp > 1,
    says: 'stage 0 shards nothing: use data, not fsdp',
    pointer: '/plan/zeroStage',
    nearest: ({ sketch: { mesh } }) => [changes(mesh, { ...mesh, fsdp: 1, data: mesh.data * mesh.fsdp })],
  },
  {
    reads: ['mesh', 'zeroStage'],
    broken: ({ sketch: { zeroStage, mesh } }) =>
      zeroStage === 3 && mesh.fsdp * mesh.context * mesh.expert === 1 && mesh.data > 1,
    says: ({ sketch: { mesh } }) =>
      `stage 3 shards weights over fsdp, which is 1, and data holds whole replicas: write the ${mesh.data} of data as fsdp`,
    pointer: '/plan/zeroStage',
    nearest: ({ sketch: { mesh } }) => [changes(mesh, { ...mesh, data: 1, fsdp: mesh.data })],
  },
]

const microbatchRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'microbatches'],
    broken: hasTooManyMicrobatches,
    says: ({ problem, sketch }) =>
      `a replica has ${counted(sequencesEach(problem, sketch), 'sequence')} of the batch, fewer than ${sketch.microbatches} microbatches`,
    pointer: '/plan/microbatches',
    nearest: ({ problem, sketch }) => [
      [{ pointer: '/plan/microbatches', value: sequencesEach(problem, sketch) }],
    ],
  },
  {
    // Written twice, a microbatch has to be the same both times.
    reads: ['mesh', 'microbatches', 'microbatchTokens'],
    broken: (read) => {
      const { microbatchTokens } = read.sketch
      const tokens = tokensEach(read)
      if (microbatchTokens === undefined || tokens === null || hasTooManyMicrobatches(read)) return false
      return Math.abs(microbatchTokens - tokens) > 1e-9 * tokens
    },
    says: (read) => {
      const { microbatches = 1, microbatchTokens } = read.sketch
      return `${counted(microbatches, 'microbatch')} of a replica's share of the batch ${microbatches === 1 ? 'is' : 'are'} ${tokensEach(read)} tokens each, not ${microbatchTokens}: leave one of the two out`
    },
    pointer: '/plan/microbatchTokens',
    nearest: () => leftOut('microbatchTokens'),
  },
]

/** Sequences of one replica, padded to whole ones. */
function sequencesEach({ workload }: Problem, { mesh }: PlanSketch): number {
  return Math.ceil(Math.ceil(workload.batchTokens / workload.sequenceLength) / replicasOf(mesh))
}

function hasTooManyMicrobatches({ problem, sketch }: LayoutRead): boolean {
  const { microbatches } = sketch
  if (microbatches === undefined || problem.assumptions.tokensDivideFreely) return false
  return microbatches > sequencesEach(problem, sketch)
}

/** Of the microbatches that are written; null where none are. */
function tokensEach({ problem, sketch }: LayoutRead): number | null {
  const { workload, assumptions } = problem
  const { microbatches, mesh } = sketch
  if (microbatches === undefined) return null
  return assumptions.tokensDivideFreely
    ? workload.batchTokens / replicasOf(mesh) / microbatches
    : Math.ceil(sequencesEach(problem, sketch) / microbatches) * workload.sequenceLength
}

const stageRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'stageLayers'],
    broken: ({ sketch: { mesh, stageLayers } }) =>
      stageLayers !== undefined && stageLayers.length !== mesh.pipeline,
    says: ({ sketch: { mesh, stageLayers = [] } }) =>
      `layers of ${counted(stageLayers.length, 'stage')}; the pipeline axis is ${mesh.pipeline}`,
    pointer: '/plan/stageLayers',
    nearest: () => leftOut('stageLayers'),
  },
  {
    reads: ['mesh', 'stageLayers'],
    broken: ({ problem: { model }, sketch: { mesh, stageLayers } }) => {
      if (stageLayers === undefined || stageLayers.length !== mesh.pipeline) return false
      const layers = total(stageLayers)
      return Math.abs(layers - model.layers) > 1e-9 * layers
    },
    says: ({ problem: { model }, sketch: { stageLayers = [] } }) =>
      `the stages have ${total(stageLayers)} layers; the model has ${model.layers}`,
    pointer: '/plan/stageLayers',
    nearest: () => leftOut('stageLayers'),
  },
]

const policyRules: readonly LayoutRule[] = [
  {
    reads: ['rematerialization'],
    broken: (read) => unknownPolicies(read).length > 0,
    says: (read) => {
      const unknown = unknownPolicies(read)
      const names = policyNames(read.problem.assumptions.activations).join(', ')
      const [subject, verb] = unknown.length > 1 ? ['the policies', 'are'] : ['the policy', 'is']
      return `${subject} ${unknown.join(' and ')} ${verb} not known under these assumptions: ${names}`
    },
    pointer: '/plan/rematerialization',
    nearest: ({ problem: { assumptions } }): readonly Way[] =>
      policyNames(assumptions.activations).map((value) => [{ pointer: '/plan/rematerialization', value }]),
  },
  {
    reads: ['rematerialization'],
    broken: (read) => policiesOf(read).length > 2,
    says: 'a plan mixes at most two policies',
    pointer: '/plan/rematerialization',
    nearest: () => leftOut('rematerialization'),
  },
  {
    reads: ['rematerialization'],
    broken: (read) => {
      const { layers } = read.problem.model
      return (
        read.sketch.rematerialization !== undefined && Math.abs(policyLayers(read) - layers) > 1e-9 * layers
      )
    },
    says: (read) =>
      `the counts make ${policyLayers(read)} layers; the model has ${read.problem.model.layers}`,
    pointer: '/plan/rematerialization',
    nearest: () => leftOut('rematerialization'),
  },
  {
    reads: ['rematerialization'],
    broken: (read) =>
      !read.problem.assumptions.tokensDivideFreely &&
      !policiesOf(read).every(({ layers }) => Number.isInteger(layers)),
    says: 'layers are whole, but for assumptions under which they divide freely',
    pointer: '/plan/rematerialization',
    nearest: () => leftOut('rematerialization'),
  },
]

function policiesOf({ problem: { model }, sketch: { rematerialization = [] } }: LayoutRead) {
  return typeof rematerialization === 'string'
    ? [{ policy: rematerialization, layers: model.layers }]
    : rematerialization
}

function policyLayers(read: LayoutRead): number {
  return total(policiesOf(read).map(({ layers }) => layers))
}

function unknownPolicies(read: LayoutRead): readonly string[] {
  const offered = policyNames(read.problem.assumptions.activations)
  return policiesOf(read)
    .map(({ policy }) => policy)
    .filter((name) => !offered.includes(name))
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

export const layoutRules: readonly LayoutRule[] = [
  ...contextRules,
  ...scheduleRules,
  ...stateRules,
  ...microbatchRules,
  ...stageRules,
  ...policyRules,
]
