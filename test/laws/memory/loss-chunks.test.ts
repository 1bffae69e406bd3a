import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { assumptionsRequest } from '../../../api/schemas/given/assumptions.ts'
import { assumptionsOf } from '../../../api/translate/assumptions.ts'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { legal } from '../../legal.ts'
import { type ProblemOptions, problem } from '../../problem.ts'

const noStacks = { stacks: new Map() }

const solver = javascriptLpSolver

/** One sequence of 65 536 tokens a chip: whole logits are 50 GB, more than all else together. */
const long: ProblemOptions = {
  model: 'llama-3.1-8b',
  chip: 'h100-sxm',
  chips: 32,
  batchTokens: 32 * 65_536,
  sequenceLength: 65_536,
  constraints: { context: 1, tensor: 1, pipeline: 1 },
  memoryBudget: 6.6e10,
}

const sketch: PlanSketch = { mesh: { ...unitMesh, fsdp: 32 }, zeroStage: 3, rematerialization: 'full' }

function inPieces(options: ProblemOptions, changes: Partial<Assumptions>): Problem {
  return problem({ ...options, assumptions: { basis: 'calibrated', ...changes } })
}

function planOf(asked: Problem, plan = sketch): Plan {
  return legal(evaluate(asked, plan, solver)).plan
}

const whole = planOf(problem(long))

describe('logits in pieces', () => {
  const logits = 6 * 65_536 * 128_256

  it('take their share of what whole ones take, as long as the head needs more than a layer', () => {
    for (const lossChunks of [2, 4]) {
      const { memoryBytes } = planOf(inPieces(long, { lossChunks }))
      const less = whole.memoryBytes.workspace - memoryBytes.workspace
      expect(less / (logits * (1 - 1 / lossChunks))).toBeCloseTo(1, 9)
    }
  })

  it('never take more for being more, nor less than the layers need', () => {
    const workspaces = [1, 8, 32, 128, 512].map(
      (lossChunks) => planOf(inPieces(long, { lossChunks })).memoryBytes.workspace,
    )
    expect(workspaces).toEqual([...workspaces].sort((a, b) => b - a))
    expect(workspaces.at(-1)).toBeGreaterThan(whole.memoryBytes.workspace - logits)
  })

  it('take no time where their gradient is taken at once', () => {
    expect(planOf(inPieces(long, { lossChunks: 8 })).stepTimeSeconds).toBe(whole.stepTimeSeconds)
  })

  it('are computed twice where the backward pass has to, which costs one product of the head', () => {
    const changes = { lossChunks: 8, recomputeLogits: true }
    for (const plan of [sketch, { mesh: { ...unitMesh, fsdp: 8, pipeline: 4 }, zeroStage: 1 }]) {
      const once = planOf(inPieces(long, { lossChunks: 8 }), plan)
      const twice = planOf(inPieces(long, changes), plan)
      const flops = 2 * long.batchTokens * 128_256 * 4096
      const useful = once.mfu * once.stepTimeSeconds
      const added = twice.hfu * twice.stepTimeSeconds - once.hfu * once.stepTimeSeconds
      const peak = 989.4e12 * 32
      expect(useful * peak).toBeGreaterThan(flops)
      expect((added * peak) / flops).toBeCloseTo(1, 2)
      expect(twice.stepTimeSeconds).toBeGreaterThan(once.stepTimeSeconds)
      const { communication: _, ...parts } = twice.timeSeconds
      const sum = Object.values(parts).reduce((total, seconds) => total + seconds, 0)
      expect(sum / twice.stepTimeSeconds).toBeCloseTo(1, 9)
    }
  })

  it('cost nothing and save nothing in one piece', () => {
    expect(planOf(inPieces(long, { lossChunks: 1, recomputeLogits: true }))).toEqual(whole)
  })
})

describe('a plan that logits keep from fitting', () => {
  const chunks = Number(/lossChunks (\d+) it would fit/.exec(whole.infeasible?.[0]?.detail ?? '')?.[1])

  it('says in how many pieces it would fit, and does, and not in half as many', () => {
    expect(whole.feasible).toBe(false)
    expect(planOf(inPieces(long, { lossChunks: chunks })).feasible).toBe(true)
    expect(planOf(inPieces(long, { lossChunks: chunks / 2 })).feasible).toBe(false)
  })

  it('says how much of its memory they are', () => {
    expect(whole.explanation.some((line) => line.startsWith('43.1 GB of it are logits'))).toBe(true)
    const fine = planOf(inPieces(long, { lossChunks: 32 }))
    expect(fine.explanation.some((line) => line.includes('logits'))).toBe(false)
  })

  it('says nothing of them where the rest alone is too much', () => {
    const tight = planOf(problem({ ...long, memoryBudget: 3e10 }))
    expect(tight.infeasible?.[0]?.detail).toMatch(/by [\d.]+ [kMGTP]?B per chip$/)
  })
})

describe('a request that logits keep from fitting', () => {
  const asked = inPieces(long, { overlapPrefetched: 0.5 })
  const { plans, infeasible } = optimize(asked, solver)
  const suggestion = infeasible?.suggestions.find(({ pointer }) => pointer === '/assumptions/lossChunks')

  it('is offered pieces, and nothing else is touched', () => {
    expect(plans).toEqual([])
    expect(suggestion?.value).toBeGreaterThan(1)
  })

  it('fits with what it is offered, and not with half as many pieces', () => {
    const lossChunks = Number(suggestion?.value)
    const fitting = (pieces: number) =>
      optimize({ ...asked, top: 1, assumptions: { ...asked.assumptions, lossChunks: pieces } }, solver).plans
    expect(fitting(lossChunks)).toHaveLength(1)
    expect(fitting(lossChunks / 2)).toEqual([])
  })

  it.each<[{ readonly assumptions?: unknown }]>([
    [{}],
    [{ assumptions: 'calibrated' }],
    [{ assumptions: { overlapPrefetched: 0.5 } }],
  ])('may change a request with %j, which keeps its other assumptions', (request) => {
    const { pointer = '', value } = suggestion ?? {}
    const { assumptions } = changed(request, [{ pointer, value }]) as { readonly assumptions: unknown }
    const read = (own: unknown) => assumptionsOf(assumptionsRequest.parse(own), asked.cluster.chip, noStacks)
    const { assumptions: before = {} } = request
    expect(read(assumptions)).toEqual({ ...read(before), lossChunks: value })
  })

  it('is offered none where they would not do', () => {
    const tight = optimize(problem({ ...long, memoryBudget: 2e10 }), solver)
    expect(tight.plans).toEqual([])
    expect(tight.infeasible?.suggestions.some(({ pointer }) => pointer === '/assumptions/lossChunks')).toBe(
      false,
    )
  })
})

describe('launch options of a loss in pieces', () => {
  const onTpus: ProblemOptions = {
    model: 'llama-3.1-8b',
    chip: 'tpu-v5p',
    topology: [4, 4, 4],
    batchTokens: 64 * 8192,
    sequenceLength: 8192,
  }
  const fsdp: PlanSketch = { mesh: { ...unitMesh, fsdp: 64 }, zeroStage: 3, rematerialization: 'full' }
  const maxtext = (lossChunks: number) => planOf(inPieces(onTpus, { lossChunks }), fsdp).launch.maxtext

  it("are MaxText's num_vocab_tiling", () => {
    expect(maxtext(8)).toMatchObject({ num_vocab_tiling: 8 })
    expect(maxtext(1)).not.toHaveProperty('num_vocab_tiling')
  })

  it('are refused where the pieces do not divide the tokens of a chip', () => {
    expect(maxtext(7)).toMatchObject({ unsupported: [expect.stringContaining('7 pieces')] })
  })

  it('are refused where a framework has none', () => {
    const short: ProblemOptions = {
      ...long,
      sequenceLength: 8192,
      precision: { ...problem(long).precision, gradients: 'fp32' },
    }
    const { launch } = planOf(inPieces(short, { lossChunks: 8 }))
    for (const framework of ['megatron', 'torchtitan'] as const) {
      const { unsupported } = launch[framework] as { readonly unsupported: readonly string[] }
      expect(unsupported).toContainEqual(expect.stringMatching(/computes logits whole.*8 pieces/))
    }
  })
})
