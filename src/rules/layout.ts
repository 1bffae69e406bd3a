/**
 * Rules for a training layout that somebody wrote, on a mesh that is legal itself. The search never makes a layout that
 * breaks one: its choices (search/layouts/choices.ts) come from the same columns of schedules, context layouts and policies as
 * these rules.
 */
import { counted } from '../plan/explain/figures.ts'
import { replicasOf } from '../sharding/axis.ts'
import { contextLayoutFits, contextLayoutRow, contextLayouts } from '../sharding/tables/context-layout.ts'
import { type LayoutRead, type LayoutRule, sequencesEach, total } from './layout-rule.ts'
import { changes } from './mesh-ways.ts'
import { leftOut } from './part-rule.ts'
import { policyRules } from './rematerialization.ts'
import { scheduleRules } from './schedule.ts'

const contextRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'contextLayout'],
    broken: (read) => read.sketch.mesh.context === 1 && isUnfit(read),
    says: 'the context axis is 1, so there is no context layout',
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

const stateRules: readonly LayoutRule[] = [
  {
    reads: ['mesh', 'zeroStage'],
    broken: ({ sketch: { zeroStage, mesh } }) => zeroStage === 0 && mesh.fsdp > 1,
    says: 'ZeRO stage 0 shards nothing: use data, not fsdp',
    pointer: '/plan/zeroStage',
    nearest: ({ sketch: { mesh } }) => [changes(mesh, { ...mesh, fsdp: 1, data: mesh.data * mesh.fsdp })],
  },
  {
    reads: ['mesh', 'zeroStage'],
    broken: ({ sketch: { zeroStage, mesh } }) =>
      zeroStage === 3 && mesh.fsdp * mesh.context * mesh.expert === 1 && mesh.data > 1,
    says: ({ sketch: { mesh } }) =>
      `ZeRO stage 3 shards weights over fsdp, which is 1, while data holds whole replicas: use fsdp ${mesh.data} instead of data ${mesh.data}`,
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
    // A plan may give both the number of microbatches and their tokens; the two have to agree.
    reads: ['mesh', 'microbatches', 'microbatchTokens'],
    broken: (read) => {
      const { microbatchTokens } = read.sketch
      const tokens = tokensEach(read)
      if (microbatchTokens === undefined || tokens === null || hasTooManyMicrobatches(read)) return false
      return Math.abs(microbatchTokens - tokens) > 1e-9 * tokens
    },
    says: (read) => {
      const { microbatches = 1, microbatchTokens } = read.sketch
      return `${counted(microbatches, 'microbatch')} of a replica's share of the batch ${microbatches === 1 ? 'is' : 'are'} ${tokensEach(read)} tokens each, not ${microbatchTokens}: leave out microbatches or microbatchTokens`
    },
    pointer: '/plan/microbatchTokens',
    nearest: () => leftOut('microbatchTokens'),
  },
]

function hasTooManyMicrobatches({ problem, sketch }: LayoutRead): boolean {
  const { microbatches } = sketch
  if (microbatches === undefined || problem.assumptions.tokensDivideFreely) return false
  return microbatches > sequencesEach(problem, sketch)
}

/** Tokens per microbatch that the written number of microbatches makes; null where none is written. */
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
      `stageLayers has ${counted(stageLayers.length, 'stage')}; the pipeline axis is ${mesh.pipeline}`,
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
  {
    reads: ['stageLayers'],
    broken: ({ problem: { assumptions }, sketch: { stageLayers = [] } }) =>
      !assumptions.tokensDivideFreely && !stageLayers.every(Number.isInteger),
    says: ({ sketch: { stageLayers = [] } }) =>
      `stages of ${stageLayers.find((layers) => !Number.isInteger(layers))} layers are not whole`,
    pointer: '/plan/stageLayers',
    nearest: () => leftOut('stageLayers'),
  },
]

export const layoutRules: readonly LayoutRule[] = [
  ...contextRules,
  ...scheduleRules,
  ...stateRules,
  ...microbatchRules,
  ...stageRules,
  ...policyRules,
]
