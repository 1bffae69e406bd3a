/** The memory policy by the closed form, by the programme and by trying every mix. */
import { expect } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { MemoryNumbers } from '../../../src/cost/memory/layer-bytes.ts'
import { fittingMixes, offloads } from '../../../src/cost/memory/remat.ts'
import { type Mix, shortBytes } from '../../../src/cost/memory/stage-memory.ts'
import { createStepScratch } from '../../../src/cost/step/stage-time.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import { policyRows as everyPolicy } from '../../../src/recipe/policy.ts'
import {
  type MemoryPolicyAnswer,
  solveMemoryPolicy,
} from '../../../src/search/memory-policy/memory-policy.ts'
import type { LayoutNumbers } from '../../../src/search/stages/stage-windows.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { highs } from '../../solvers.ts'

export const budgetOf = ({ model }: LayoutNumbers) => model.problem.memoryBudget

export function timeOf(numbers: LayoutNumbers, mix: Mix): number {
  const scratch = createStepScratch(numbers.model.resources)
  return stepTime({ ...numbers, scratch }, mix, 'expected')
}

/** Infinite where nothing fits. */
export function closedForm(numbers: LayoutNumbers): number {
  const { model, memory, layers } = numbers
  const { tokensDivideFreely } = model.problem.assumptions
  const mixes = fittingMixes(memory, layers.groups, budgetOf(numbers), tokensDivideFreely)
  return Math.min(...mixes.map((mix) => timeOf(numbers, mix)))
}

/** Keeps more of the average layer, or of a layer of either kind. */
export function fuller({ kept, keptByKind = [] }: MemoryNumbers, policy: number, other: number): boolean {
  return [kept, ...keptByKind].some((own) => (own[other] ?? 0) > (own[policy] ?? 0))
}

export function bruteForce(numbers: LayoutNumbers): number {
  const { memory, layers } = numbers
  const most = Math.max(...layers.groups.map((group) => group.layers))
  const policies = memory.kept.map((_, policy) => policy)
  let least = Number.POSITIVE_INFINITY
  const look = (mix: Mix) => {
    if (shortBytes(memory, layers.groups, mix, budgetOf(numbers)) > 0) return
    least = Math.min(least, timeOf(numbers, mix))
  }
  for (const policy of policies) {
    look({ policy, other: policy, count: 0 })
    for (const other of policies) {
      if (other === policy || fuller(memory, policy, other)) continue
      // Policies that keep arrays on the host go alone.
      if (offloads(memory, policy) || offloads(memory, other)) continue
      for (let count = 1; count <= most; count++) look({ policy, other, count })
    }
  }
  return least
}

export function timeOfAnswer(answer: MemoryPolicyAnswer): number {
  if (answer.status === 'unsolved') return Number.NaN
  return answer.status === 'optimal' ? answer.stepTimeSeconds : Number.POSITIVE_INFINITY
}

export function expectAlike(actual: number, expected: number): void {
  if (Number.isFinite(expected)) expect(Math.abs(actual / expected - 1)).toBeLessThan(1e-6)
  else expect(actual).toBe(expected)
}

/** The layout with a budget between what its leanest and its fattest policy take. */
export function withBudget(numbers: LayoutNumbers, share: number): LayoutNumbers {
  const { model, memory, layers } = numbers
  const fills = memory.kept.map((_, policy) =>
    shortBytes(memory, layers.groups, { policy, other: policy, count: 0 }, 0),
  )
  const least = Math.min(...fills)
  // What a leaner policy keeps less of may be live instead, to the byte: solvers differ about such ties.
  const memoryBudget = least + share * (Math.max(...fills) - least) + 1024
  return { ...numbers, model: { ...model, problem: { ...model.problem, memoryBudget } } }
}

export function layoutsOf(options: ProblemOptions): readonly LayoutNumbers[] {
  const model = costModel(problem({ memoryFraction: 1, top: 1, ...options }))
  return search(model).candidates.map((candidate) => costing(model, candidate))
}

/** What the programme counts: policies that keep arrays on the host go alone. */
export const onTheChip = everyPolicy.filter(({ host }) => !host).map(({ name }) => name)

export const workloads: readonly (readonly [string, ProblemOptions])[] = [
  [
    'Llama 3 8B on 16 H100',
    { model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 2 ** 18, sequenceLength: 8192 },
  ],
  [
    'GPT-2 XL on 8 A100 40G',
    { model: 'gpt-2-xl', chip: 'a100-40g-sxm', chips: 8, batchTokens: 2 ** 19, sequenceLength: 2048 },
  ],
  [
    'GPT-3 13B on 32 TPU v5e',
    {
      model: 'gpt-3-13b',
      chip: 'tpu-v5e',
      chips: 32,
      batchTokens: 2 ** 19,
      sequenceLength: 2048,
      schedules: ['1f1b', 'interleaved-1f1b'],
      rematerialization: onTheChip,
    },
  ],
  [
    'Gemma 2 27B on 32 TPU v5p',
    {
      model: 'gemma-2-27b',
      chip: 'tpu-v5p',
      chips: 32,
      batchTokens: 2 ** 20,
      sequenceLength: 8192,
      rematerialization: onTheChip,
    },
  ],
]

export const mixtures: readonly (readonly [string, ProblemOptions])[] = [
  [
    'DeepSeek-V2-Lite on 32 H100',
    { model: 'deepseek-v2-lite', chip: 'h100-sxm', chips: 32, batchTokens: 2 ** 18, sequenceLength: 4096 },
  ],
  [
    'six layers, of which every second has experts, and two that predict further tokens, on 16 A100 40G',
    {
      model: {
        ...{ layers: 6, dModel: 2048, dFf: 8192, heads: 16, kvHeads: 8, headDim: 128, vocab: 32_000 },
        ...{ gatedMlp: true, tiedEmbeddings: false, multiTokenLayers: 2 },
        experts: {
          ...{ experts: 8, activeExperts: 2, sharedExperts: 1, dFfExpert: 1024 },
          ...{ denseLayers: 0, every: 2 },
        },
      },
      ...{ chip: 'a100-40g-sxm', chips: 16, batchTokens: 2 ** 18, sequenceLength: 4096 },
    },
  ],
]

export const sharded = [{}, { tensor: 2 }, { tensor: 2, tensor2: 2 }, { context: 2 }]

/** What closed form and both programmes say is the best there is. */
export function expectAgreed(numbers: Parameters<typeof closedForm>[0], best: number): void {
  expectAlike(closedForm(numbers), best)
  expectSolved(numbers, best)
}

export function expectSolved(numbers: Parameters<typeof solveMemoryPolicy>[0], best: number): void {
  for (const solver of [javascriptLpSolver, highs]) {
    expectAlike(timeOfAnswer(solveMemoryPolicy(numbers, solver)), best)
  }
}
