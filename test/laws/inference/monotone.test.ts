import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type {
  GenerateWorkload,
  InferenceProblem,
  PhaseProblem,
  PrefillProblem,
  PrefillWorkload,
} from '../../../src/problem.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { inferenceProblem, prompts } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { runs } from '../../runs.ts'
import { generateProblems, phases, prefillProblems } from './problems.ts'

const numRuns = runs(25)

/** Sums of the same numbers in another order. */
const rounding = 1e-9

/** Infinity where nothing fits. */
function bestSeconds(problem: PhaseProblem): number {
  const model = inferenceModel(problem)
  return searchPhase(phaseOf(model, problem), 1).candidates[0]?.seconds ?? Number.POSITIVE_INFINITY
}

/** Of the two the second may only be slower, or not fit at all; and the law must have had something to hold. */
function expectNoFaster<Given extends PhaseProblem>(
  problems: fc.Arbitrary<Given>,
  harder: (problem: Given, times: number) => PhaseProblem,
): void {
  let slower = 0
  fc.assert(
    fc.property(problems, fc.integer({ min: 2, max: 5 }), (problem, times) => {
      const [easy, hard] = [bestSeconds(problem), bestSeconds(harder(problem, times))]
      if (easy === Number.POSITIVE_INFINITY) expect(hard).toBe(easy)
      else expect(hard).toBeGreaterThanOrEqual(easy * (1 - rounding))
      if (hard > easy) slower++
    }),
    { numRuns },
  )
  expect(slower).toBeGreaterThan(0)
}

/** More sequences allow more replicas, which short of communication are faster: replicas are kept at one. */
const oneReplica = <Workload extends GenerateWorkload | PrefillWorkload>(
  problem: InferenceProblem<Workload>,
) => ({
  ...problem,
  constraints: { data: 1 },
})
const oneReplicaGenerating = generateProblems.map(oneReplica)
const oneReplicaReading = prefillProblems.map(oneReplica)

describe('a step of generation is no faster', () => {
  it('with more sequences', () => {
    expectNoFaster(oneReplicaGenerating, ({ workload, ...rest }, times) => ({
      ...rest,
      workload: { ...workload, batchSequences: times * Number(workload.batchSequences) },
    }))
  })

  it('with a longer context', () => {
    expectNoFaster(generateProblems, ({ workload, ...rest }, times) => ({
      ...rest,
      workload: {
        ...workload,
        contextLength: times * workload.contextLength,
        meanContextLength: times * workload.meanContextLength,
      },
    }))
  })

  it('with caches of more bytes', () => {
    const small = generateProblems.map((problem) => withPrecision(problem, 'kvCache', 'fp8'))
    expectNoFaster(small, (problem) => withPrecision(problem, 'kvCache', 'bf16'))
  })
})

describe('a prefill is no faster', () => {
  it('with more prompts', () => {
    expectNoFaster(oneReplicaReading, ({ workload, ...rest }, times) => ({
      ...rest,
      workload: { ...workload, batchSequences: times * workload.batchSequences },
    }))
  })

  it('with longer ones', () => {
    // A chip of the context axis has at least one new position: few of them forbid meshes.
    const long = prefillProblems.filter(({ workload, cluster }) => workload.promptLength >= cluster.chips)
    expectNoFaster(long.map(inOne), ({ workload, ...rest }, times) => ({
      ...rest,
      workload: { ...workload, promptLength: times * workload.promptLength },
    }))
  })

  it('with a prompt that is a little longer, of as many chunks or one more', () => {
    forAll(
      12,
      [
        fc.constantFrom('l40s', 'h100-sxm'),
        fc.integer({ min: 2000, max: 9000 }),
        fc.constantFrom(1, 96),
        fc.constantFrom(1, 4),
      ],
      (chip, length, more, batch) => {
        const seconds = (promptLength: number) =>
          bestSeconds(
            inferenceProblem({
              ...{ model: 'llama-3-70b', chip, chips: 8 },
              workload: prompts(batch, promptLength),
            }),
          )
        expect(seconds(length + more)).toBeGreaterThan(seconds(length) * (1 - 1e-6))
      },
    )
  })

  it('with less of the prompts cached', () => {
    const cached = prefillProblems
      .filter(({ workload, cluster }) => workload.promptLength >= 2 * cluster.chips)
      .map((problem) => withCached(inOne(problem), 0.5))
    expectNoFaster(cached, (problem, times) => withCached(problem, 0.5 / times))
  })
})

describe.each(phases)('%s is no faster', (_, problems) => {
  it('with weights of more bytes', () => {
    const small = problems.map((problem) => withPrecision(problem, 'weights', 'int4'))
    expectNoFaster(small, (problem, times) =>
      withPrecision(problem, 'weights', times % 2 === 0 ? 'int8' : 'bf16'),
    )
  })

  it('with slower memory', () => {
    expectNoFaster(problems, (problem, times) =>
      withChip(problem, (chip) => ({ ...chip, hbmBytesPerSecond: chip.hbmBytesPerSecond / times })),
    )
  })

  it('with a slower matrix unit', () => {
    expectNoFaster(problems, (problem, times) =>
      withChip(problem, (chip) => ({
        ...chip,
        peakFlopsPerSecond: { bf16: (chip.peakFlopsPerSecond.bf16 ?? 0) / times },
      })),
    )
  })

  it('with slower links', () => {
    expectNoFaster(problems, (problem, times) => ({
      ...problem,
      cluster: { ...problem.cluster, network: slowed(problem.cluster.network, times) },
    }))
  })

  it('with less memory', () => {
    expectNoFaster(problems, (problem, times) => ({
      ...problem,
      memoryBudget: problem.memoryBudget / times ** 3,
    }))
  })
})

describe('a batch as large as fits', () => {
  it('gives no fewer tokens a second where there is more memory', () => {
    const most = generateProblems.map(({ workload, ...rest }) => ({
      ...rest,
      workload: { ...workload, batchSequences: 'max' as const },
    }))
    fc.assert(
      fc.property(most, fc.double({ min: 0.3, max: 1, noNaN: true }), (problem, share) => {
        const tokensPerSecond = (given: PhaseProblem) => {
          const model = inferenceModel(given)
          const [best] = searchPhase(phaseOf(model, given), 1).candidates
          return best ? best.pass.resident.sequences / best.seconds : 0
        }
        const less = tokensPerSecond({ ...problem, memoryBudget: share * problem.memoryBudget })
        expect(less).toBeLessThanOrEqual(tokensPerSecond(problem) * (1 + rounding))
      }),
      { numRuns },
    )
  })
})

/** In chunks of a stated size as many may be as before, which come earlier and so read shorter caches: that is faster. */
function inOne({ workload, ...rest }: PrefillProblem): PrefillProblem {
  const { chunkTokens: _, ...whole } = workload
  return { ...rest, workload: whole }
}

function withCached({ workload, ...rest }: PrefillProblem, share: number): PrefillProblem {
  const cachedPrefixLength = Math.floor(share * workload.promptLength)
  return { ...rest, workload: { ...workload, cachedPrefixLength } }
}

function withPrecision<Given extends PhaseProblem>(
  problem: Given,
  part: 'weights' | 'kvCache',
  type: ElementType,
): Given {
  return { ...problem, precision: { ...problem.precision, [part]: type } }
}

function withChip(problem: PhaseProblem, change: (chip: Cluster['chip']) => Cluster['chip']): PhaseProblem {
  return { ...problem, cluster: { ...problem.cluster, chip: change(problem.cluster.chip) } }
}

function slowed(network: Cluster['network'], times: number): Cluster['network'] {
  if (network.kind === 'torus') {
    return { ...network, linkBytesPerSecond: network.linkBytesPerSecond / times }
  }
  return {
    ...network,
    tiers: network.tiers.map((tier) => ({
      ...tier,
      bytesPerSecondPerChip: tier.bytesPerSecondPerChip / times,
    })),
  }
}
