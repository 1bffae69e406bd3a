/** The search of inference finds what trying everything finds, mesh by mesh, and counts every layout. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Constraints } from '../../../src/constraint.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import type { InferenceCandidate } from '../../../src/inference/phase.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { GenerateProblem, PhaseProblem } from '../../../src/problem.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import { type Mesh, meshKey } from '../../../src/sharding/axis.ts'
import { inferenceProblem, prompts } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { generateProblems, prefillProblems } from '../../laws/inference/problems.ts'
import { inferenceEnumeration, mostTried } from './enumeration.ts'
import { streamed } from './phase-problems.ts'

/** Sums of the same numbers in another order. */
const rounding = 1e-9

const constraints = fc.oneof(
  { arbitrary: fc.constant<Constraints>({}), weight: 3 },
  fc.constantFrom<Constraints>(
    { tensor: { max: 2 } },
    { pipeline: 1 },
    { tensor2: [2, 4] },
    { data: [1, 2] },
  ),
)

/** From half of what the weights and caches take to twenty times it. */
const budgets = fc.double({ min: -0.3, max: 1.3, noNaN: true }).map((power) => 10 ** power)

function withBudget<Given extends PhaseProblem>(
  problems: fc.Arbitrary<Given>,
  bytesOf: (problem: Given) => number,
): fc.Arbitrary<Given> {
  return fc.tuple(problems, constraints, budgets).map(([problem, asked, times]) => {
    const memoryBudget = (times * bytesOf(problem)) / problem.cluster.chips
    return { ...problem, constraints: asked, memoryBudget }
  })
}

/** Room for not many sequences. */
const largest: fc.Arbitrary<PhaseProblem> = fc
  .tuple(
    generateProblems.filter(({ workload }) => workload.meanContextLength > 2000),
    fc.double({ min: 0, max: mostTried / 2, noNaN: true }),
  )
  .map(([problem, batch]) => {
    const { model, precision, workload, cluster } = problem
    const one = kvCacheBytes(model, workload.meanContextLength, elementBytes[precision.kvCache])
    const table = model.vocab * model.dModel * elementBytes[precision.weights]
    const weights = parameterCount(model).matmul * elementBytes[precision.weights]
    const memoryBudget = (weights + table + batch * one) / cluster.chips
    return { ...withBatch(problem, 'max'), memoryBudget }
  })

function withBatch({ workload, ...rest }: GenerateProblem, batchSequences: number | 'max'): GenerateProblem {
  return { ...rest, workload: { ...workload, batchSequences } }
}

const phases: readonly (readonly [string, fc.Arbitrary<PhaseProblem>, number])[] = [
  ['generation', withBudget(generateProblems, streamed), 16],
  ['prefill', withBudget(prefillProblems, streamed), 6],
  ['generation with as many sequences as fit', largest, 8],
]

/** Problems without a plan, or where all fits, prove little: of all that are tried some have either. */
const seen = { plans: 0, unfit: 0 }

describe.each(phases)('%s', (_, problems, numRuns) => {
  law(
    'has the plans that trying everything finds, and of each mesh the best',
    numRuns,
    [problems, fc.integer({ min: 1, max: 4 })],
    expectEnumerated,
  )
})

it('Prefill keeps to layouts that attention has: in groups over tensor2 it has none where that has one chip', () => {
  // In such a layout a faster MLP would fit.
  const attention = { window: null, globalEvery: 0, kvShareGroup: 2, latent: null, index: null }
  const shape = { layers: 8, dModel: 1792, dFf: 2048, heads: 8, kvHeads: 8, headDim: 64, vocab: 86_803 }
  const problem = inferenceProblem({
    model: { ...shape, gatedMlp: true, tiedEmbeddings: false, attention },
    ...{ chip: 'h100-sxm', chips: 4, assumptions: 'calibrated' },
    precision: { weights: 'int4', kvCache: 'fp8' },
    workload: prompts(16, 8119, { chunkTokens: 8119 }),
  })
  expectEnumerated({ ...problem, memoryBudget: 299_249_824 }, 1)
})

describe('the problems that were tried', () => {
  it('have plans, and meshes where nothing fits', () => {
    expect(Object.values(seen).every((count) => count > 0)).toBe(true)
  })
})

function expectEnumerated(problem: PhaseProblem, top: number): void {
  const model = inferenceModel(problem)
  const phase = phaseOf(model, problem)
  const found = searchPhase(phase, Number.POSITIVE_INFINITY)
  if (problem.workload.batchSequences === 'max') {
    fc.pre(found.candidates.every(({ pass }) => pass.resident.sequences < mostTried))
  }
  const all = inferenceEnumeration(model, problem, phase)
  const { total, constrained, indivisible } = phase.meshes
  const without = { ...found.infeasible, constraint: constrained, divisibility: indivisible }
  expect(without).toEqual(all.infeasible)
  expect([total, found.evaluated, found.pruned]).toEqual([all.meshes, all.best.size, 0])
  for (const { mesh, score } of found.candidates) expectClose(score, all.best.get(meshKey(mesh))?.score)
  for (const { mesh, score } of all.best.values()) expectListed(found.candidates, mesh, score)
  expectRanked(found.candidates)

  const few = searchPhase(phase, top)
  expect(few.candidates.length).toBe(Math.min(top, found.candidates.length))
  few.candidates.forEach(({ score }, at) => {
    expectClose(score, found.candidates[at]?.score)
  })
  expect(few.evaluated + few.pruned + few.infeasible.memory + few.infeasible.topology).toBe(
    phase.meshes.allowed.length,
  )
  seen.plans += found.candidates.length
  seen.unfit += found.infeasible.memory
}

function expectClose(is: number, should: number | undefined): void {
  expect(Math.abs(is - (should ?? Number.NaN))).toBeLessThanOrEqual(rounding * is)
}

/** The mesh itself, or one that is the same but for which of the tensor axes is which, and no slower. */
function expectListed(candidates: readonly InferenceCandidate[], wanted: Mesh, score: number): void {
  const own = candidates.find(({ mesh }) => meshKey(mesh) === meshKey(wanted))
  const alike = candidates.filter((candidate) => joined(candidate.mesh) === joined(wanted))
  const listed = own ? [own] : alike.filter((twin) => twin.score <= score * (1 + rounding))
  expect(listed.length).toBeGreaterThan(0)
}

function joined({ data, tensor, tensor2, context, pipeline }: Mesh): string {
  return [data, tensor * tensor2, context, pipeline].join()
}

function expectRanked(candidates: readonly InferenceCandidate[]): void {
  candidates.slice(1).forEach(({ score }, at) => {
    expect(score).toBeGreaterThanOrEqual((candidates[at]?.score ?? 0) * (1 - rounding))
  })
}
