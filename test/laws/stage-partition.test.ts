import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../src/evaluate.ts'
import type { Architecture } from '../../src/model/architecture.ts'
import { expertLayers, hasExperts } from '../../src/model/expert-layers.ts'
import type { MixtureOfExperts } from '../../src/model/transformer.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { PlanSketch } from '../../src/problem.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { problem } from '../problem.ts'

const solvers = { small: javascriptLpSolver, large: javascriptLpSolver }

const experts: MixtureOfExperts = {
  experts: 8,
  activeExperts: 4,
  sharedExperts: 0,
  dFfExpert: 2048,
  denseLayers: 4,
  every: 1,
}

const mixture: Architecture = {
  layers: 12,
  dModel: 1024,
  dFf: 1024,
  heads: 16,
  kvHeads: 16,
  headDim: 64,
  vocab: 32_000,
  gatedMlp: true,
  tiedEmbeddings: false,
  experts,
}

function planOf(model: Architecture, sketch: Omit<PlanSketch, 'mesh'> = {}): Plan {
  const posed = problem({ model, chip: 'h100-sxm', chips: 8, batchTokens: 2 ** 19, sequenceLength: 4096 })
  const answer = evaluate(
    posed,
    { mesh: { ...unitMesh, pipeline: 4, data: 2 }, pipelineSchedule: '1f1b', ...sketch },
    solvers,
  )
  if ('illegal' in answer) throw new Error(JSON.stringify(answer.illegal))
  return answer.plan
}

describe('the stages of a model whose first layers are dense', () => {
  it('have more layers where these are than the average layer would have it, and a shorter longest stage', () => {
    const { stagePartition: cut, stageLayers } = planOf(mixture)
    expect(cut?.stageLayers.reduce((sum, count) => sum + count, 0)).toBe(12)
    expect(cut?.stageLayers[0]).toBeGreaterThan(stageLayers[0] ?? 0)
    expect(cut?.longestStageSeconds).toBeLessThan(cut?.evenLongestStageSeconds ?? 0)
  })

  it('are not asked for where layers are alike, or a chip has several pieces of the model', () => {
    expect(planOf({ ...mixture, experts: null }).stagePartition).toBeNull()
    expect(planOf({ ...mixture, experts: { ...experts, denseLayers: 0 } }).stagePartition).toBeNull()
    expect(planOf(mixture, { pipelineSchedule: 'dualpipe' }).stagePartition).toBeNull()
    expect(
      planOf(mixture, { pipelineSchedule: 'interleaved-1f1b', virtualStages: 3 }).stagePartition,
    ).toBeNull()
  })

  it('know which layers have experts', () => {
    for (const [denseLayers, every] of [
      [0, 1],
      [3, 1],
      [0, 2],
      [1, 3],
    ] as const) {
      const { model } = problem({
        model: { ...mixture, experts: { ...experts, denseLayers, every } },
        chip: 'h100-sxm',
        chips: 8,
        batchTokens: 2 ** 19,
        sequenceLength: 4096,
      })
      const having = Array.from({ length: 12 }, (_, layer) => layer).filter((layer) =>
        hasExperts(model, layer),
      )
      expect(having.length).toBe(expertLayers(model))
      expect(Math.min(...having)).toBe(denseLayers + every - 1)
    }
  })
})
