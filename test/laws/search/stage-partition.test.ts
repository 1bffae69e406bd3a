import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { computeNumbers, trafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { createStepScratch, stageTime } from '../../../src/cost/step/stage-time.ts'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { stageCompositions } from '../../../src/model/composition.ts'
import { expertLayers, hasExperts } from '../../../src/model/expert-layers.ts'
import type { MixtureOfExperts } from '../../../src/model/transformer.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

const solver = javascriptLpSolver

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
  return legal(
    evaluate(
      posed,
      { mesh: { ...unitMesh, pipeline: 4, data: 2 }, pipelineSchedule: '1f1b', ...sketch },
      solver,
    ),
  ).plan
}

/** Of three layers each. */
function stageTimesOf(architecture: Architecture) {
  const model = costModel(
    problem({
      model: architecture,
      chip: 'h100-sxm',
      chips: 8,
      batchTokens: 2 ** 19,
      sequenceLength: 4096,
    }),
  )
  const mesh = { ...unitMesh, pipeline: 4, data: 2 }
  const [placement] = placements(model.problem.cluster.network, mesh)
  if (!placement) throw new RangeError('A switched network places every mesh')
  const scale = createScale()
  setMesh(scale, mesh, model.extents, padded)
  setBatch(scale, 2)
  const schedule = { name: '1f1b', virtualStages: 1 } as const
  const counts = [3, 3, 3, 3]
  const groups = stageGroups(counts, schedule, 8, stageCompositions(model.problem.model, counts))
  const traffic = trafficNumbers(model, stageModel(model, 0), scale, model.prices.placed(placement, mesh))
  const compute = computeNumbers(model, scale)
  const mix = { policy: 0, other: 0, count: 0 }
  const scratch = createStepScratch(model.resources)
  const layers = { groups, schedule, microbatches: 8, update: 0 }
  const step = { model, compute, traffic, layers, scratch }
  const times = groups.map((group) => stageTime(step, group, mix, 'expected'))
  return { groups, times }
}

describe('the stages of a model whose first layers are dense', () => {
  it('have more layers where these are, and the exact cut is no longer than theirs', () => {
    const { stagePartition: cut, stageLayers } = planOf(mixture)
    const [first = 0, ...others] = stageLayers
    expect(first).toBeGreaterThan(Math.max(...others))
    expect(cut?.stageLayers.reduce((sum, count) => sum + count, 0)).toBe(12)
    expect(cut?.longestStageSeconds).toBeLessThanOrEqual(cut?.evenLongestStageSeconds ?? 0)
  })

  it('take less of a microbatch where their layers are dense', () => {
    const { groups, times } = stageTimesOf(mixture)
    const each = (dense: boolean) =>
      groups.flatMap(({ composition, layers, last }, at) =>
        !last && (composition?.sparse === 0) === dense ? [(times[at] ?? 0) / layers] : [],
      )
    const [dense, sparse] = [each(true), each(false)]
    expect(dense.length).toBeGreaterThan(0)
    expect(sparse.length).toBeGreaterThan(0)
    expect(Math.max(...dense)).toBeLessThan(Math.min(...sparse))
  })

  it('take more where the last has layers that predict further tokens', () => {
    const [plain, further] = [0, 2].map((multiTokenLayers) => stageTimesOf({ ...mixture, multiTokenLayers }))
    expect(further?.times[0]).toBeCloseTo(plain?.times[0] ?? Number.NaN, 12)
    expect(further?.times.at(-1)).toBeGreaterThan(1.5 * (plain?.times.at(-1) ?? Number.NaN))
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
