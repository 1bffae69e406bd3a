import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import { createSizes, setShape, setShards } from '../../../src/inference/layout/local-sizes.ts'
import { localTerm, localValue } from '../../../src/inference/layout/local-term.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { floorSeconds } from '../../../src/inference/time/floor.ts'
import { launchersAmong } from '../../../src/launch/launch.ts'
import { type Architecture, transformer } from '../../../src/model/architecture.ts'
import { expertLayers } from '../../../src/model/expert-layers.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { fullAttention, type LatentAttention, type MixtureOfExperts } from '../../../src/model/transformer.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import {
  generation,
  type InferenceOptions,
  inferenceProblem,
  prompts,
  solver,
} from '../../inference-problem.ts'
import { law, whole } from '../../law.ts'
import { legal } from '../../legal.ts'
import { choicesOf } from './layout-choices.ts'

const dense: Architecture = {
  layers: 6,
  dModel: 1024,
  dFf: 4096,
  heads: 16,
  kvHeads: 8,
  headDim: 64,
  vocab: 32_000,
  gatedMlp: true,
  tiedEmbeddings: false,
}

const mixtures: fc.Arbitrary<MixtureOfExperts> = fc
  .record({
    power: whole(1, 5),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    sharedExperts: whole(0, 2),
    dFfExpert: whole(1, 16).map((n) => 128 * n),
    denseLayers: whole(0, 2),
    every: whole(1, 2),
  })
  .map(({ power, share, ...rest }) => {
    const experts = 2 ** power
    return { experts, activeExperts: Math.max(1, Math.round(share * experts)), ...rest }
  })

const latent: LatentAttention = {
  queryRank: 384,
  keyValueRank: 128,
  nopeHeadDim: 64,
  ropeHeadDim: 32,
  valueHeadDim: 64,
}

const latentModel: Architecture = {
  ...dense,
  kvHeads: 16,
  headDim: 96,
  attention: { ...fullAttention, latent },
}

const hardware = fc.constantFrom<Pick<InferenceOptions<never>, 'chip' | 'chips' | 'topology'>>(
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 16 },
  { chip: 'h100-sxm', chips: 12 },
  { chip: 'tpu-v5e', topology: [2, 2] },
  { chip: 'tpu-v5p', topology: [2, 2, 2] },
)

const bases = fc.constantFrom<NonNullable<InferenceOptions<never>['assumptions']>>('book', 'calibrated', {
  basis: 'calibrated',
  twoBatchOverlap: true,
  redundantExperts: 3,
})

const workloads = fc.oneof(
  whole(16, 400).map((batch) => generation(batch, 2000)),
  whole(16, 40).map((batch) => prompts(batch, 1000)),
)

function problems(model: fc.Arbitrary<Architecture>): fc.Arbitrary<PhaseProblem> {
  return fc
    .record({ model, on: hardware, workload: workloads, assumptions: bases })
    .map(({ on, ...rest }) => problemOf({ ...on, ...rest, top: 4 }))
}

const problemOf = (options: InferenceOptions<PhaseProblem['workload']>) =>
  inferenceProblem(options) as PhaseProblem

const withExperts = (experts: MixtureOfExperts): Architecture => ({ ...dense, experts })

const routed = problems(mixtures.map(withExperts))

function evaluated(
  problem: PhaseProblem,
  mesh: Partial<Mesh>,
  layout: Readonly<Record<string, string>> = {},
): InferencePlan {
  return legal(evaluateInference(problem, { mesh: { ...unitMesh, ...mesh }, layout }, solver)).plan
}

describe('one expert that every token visits', () => {
  const one: MixtureOfExperts = {
    experts: 1,
    activeExperts: 1,
    sharedExperts: 0,
    dFfExpert: dense.dFf,
    denseLayers: 0,
    every: 1,
  }
  // Copies are made and summed, which a dense model need not: that streams a little more, and starts kernels of its own.
  const plain = { basis: 'calibrated', elementwise: false, inferenceExpertLayerSeconds: 0 } as const

  law(
    'takes the time and the memory of the dense model',
    8,
    [hardware, workloads, fc.boolean()],
    (on, workload, book) => {
      const assumptions = book ? ('book' as const) : { ...plain, workspace: false }
      const asked = (model: Architecture) => problemOf({ ...on, workload, assumptions, model, top: 4 })
      // Routed experts are not copied.
      const own = infer(asked(dense), solver).plans.filter(
        ({ layout }) => !layout.components.mlp?.startsWith('copied'),
      )
      const mixed = own.map(({ mesh, layout: { components }, batchSequences }) => {
        const { mlp = '', ...others } = components
        const question = asked(withExperts(one))
        const same = { ...question, workload: { ...question.workload, batchSequences } } as PhaseProblem
        return evaluated(same, mesh, { ...others, experts: `${mlp}/sliced` })
      })
      expect(mixed.map(({ stepTimeSeconds }) => stepTimeSeconds)).toEqual(
        own.map(({ stepTimeSeconds }) => expect.closeTo(stepTimeSeconds, 12)),
      )
      expect(mixed.map(({ memoryBytes }) => memoryBytes.total)).toEqual(
        own.map(({ memoryBytes }) => expect.closeTo(memoryBytes.total, 2)),
      )
    },
  )
})

describe('the weights of a chip that has the whole model', () => {
  law(
    'are all of its parameters, with norms and routers, which quantisation leaves in 16 bits',
    20,
    [mixtures, fc.constantFrom('bf16', 'fp8')],
    (experts, weights) => {
      const model = withExperts(experts)
      const problem = problemOf({
        ...{ model, chip: 'h100-sxm', chips: 1, workload: generation(1, 100), assumptions: 'calibrated' },
        precision: { weights },
      })
      const count = parameterCount(problem.model)
      const { dModel } = model
      const sparse = expertLayers(problem.model)
      const kept = count.norm + sparse * dModel * experts.experts
      const { parameters } = evaluated(problem, {}).memoryBytes
      expect(parameters).toBe(2 * kept + (weights === 'fp8' ? 1 : 2) * (count.total - kept))
    },
  )
})

describe('an expert axis', () => {
  const experts: MixtureOfExperts = {
    experts: 16,
    activeExperts: 2,
    sharedExperts: 0,
    dFfExpert: 2048,
    denseLayers: 0,
    every: 1,
  }

  it('divides the memory of the experts, and of nothing else', () => {
    const bytes = (expert: number) => {
      const problem = inferenceProblem({
        model: withExperts(experts),
        chip: 'h100-sxm',
        chips: 16,
        workload: generation(64, 2000),
        assumptions: 'book',
      })
      return evaluated(problem, { expert, data: 16 / expert }).memoryBytes.parameters
    }
    const all = dense.layers * 16 * 3 * dense.dModel * 2048 * 2
    for (const expert of [2, 4, 8, 16])
      expect(bytes(1) - bytes(expert)).toBeCloseTo(all * (1 - 1 / expert), 3)
  })

  law('shares out the sequences for all that is not an expert', 10, [whole(16, 300)], (batch) => {
    const problem = inferenceProblem({
      model: withExperts(experts),
      chip: 'h100-sxm',
      chips: 16,
      workload: generation(batch, 2000),
    })
    const caches = (mesh: Partial<Mesh>) => evaluated(problem, mesh).memoryBytes.kvCache
    expect(caches({ expert: 16 })).toBe(caches({ data: 16 }))
    expect(caches({ expert: 4, data: 4 })).toBe(caches({ data: 16 }))
  })

  it('of a dense model, or one with room for a second set of the experts, is refused', () => {
    const illegal = (model: Architecture, expert: number) => {
      const workload = generation(96, 2000)
      const problem = inferenceProblem({ model, chip: 'h100-sxm', chips: 96, workload })
      const sketch = { mesh: { ...unitMesh, expert, data: 96 / expert }, layout: {} }
      return 'illegal' in evaluateInference(problem, sketch, solver)
    }
    const shared = [3, 4, 16, 24, 32, 48].map((expert) => illegal(withExperts(experts), expert))
    expect([illegal(dense, 4), ...shared]).toEqual([true, false, false, false, false, true, true])
  })

  it('computes longer on the fullest chip where routing is uneven, and one chip with all experts does not', () => {
    const model = withExperts(experts)
    const compute = (expertImbalance: number, mesh: Partial<Mesh>) => {
      const workload = prompts(64, 1000)
      const assumptions = { basis: 'calibrated', expertImbalance, elementwise: false } as const
      const on = { chip: 'h100-sxm', chips: 16, workload, assumptions }
      return evaluated(inferenceProblem({ ...on, model }), mesh).streaming.arithmeticSeconds
    }
    expect(compute(2, { data: 16 })).toBe(compute(1, { data: 16 }))
    expect(compute(2, { expert: 16 })).toBeGreaterThan(compute(1, { expert: 16 }))
  })
})

describe('the experts that a batch reads', () => {
  const visited = (mixture: MixtureOfExperts, tokens: number, expert: number): number => {
    const sizes = createSizes(transformer('own', withExperts(mixture)), {
      ...book,
      tokensDivideFreely: false,
    })
    setShards(sizes, { ...unitMesh, expert })
    setShape(sizes, { sequences: tokens, positions: 1, context: 1 })
    return localValue(localTerm(1, [{ label: 'A', extent: 'Ev', axes: ['expert'] }]), sizes)
  }

  law(
    'are between those of one token and all, and grow with the batch',
    100,
    [mixtures, whole(1, 500)],
    (mixture, tokens) => {
      const some = visited(mixture, tokens, 1)
      expect(some).toBeGreaterThanOrEqual(mixture.activeExperts * (1 - 1e-12))
      expect(some).toBeLessThanOrEqual(mixture.experts)
      expect(visited(mixture, tokens + 1, 1)).toBeGreaterThanOrEqual(some)
    },
  )

  law(
    'are all of them on one chip of many before they are on all',
    100,
    [mixtures, whole(1, 500)],
    (mixture, tokens) => {
      const own = visited(mixture, tokens, mixture.experts)
      expect(own).toBe(1)
      expect(mixture.experts * own).toBeGreaterThanOrEqual(visited(mixture, tokens, 1))
    },
  )
})

describe('a plan of a mixture of experts', () => {
  law('takes no less than the floor', 15, [routed], (problem) => {
    for (const { stepTimeSeconds, floorSeconds: floor, lowerBoundSeconds } of infer(problem, solver).plans) {
      expect(floor).toBeLessThanOrEqual(stepTimeSeconds * (1 + 1e-9))
      expect(lowerBoundSeconds).toBeLessThanOrEqual(stepTimeSeconds * (1 + 1e-9))
    }
  })

  law('has parts of its time that add up to it', 10, [routed], (problem) => {
    for (const { stepTimeSeconds, timeSeconds } of infer(problem, solver).plans) {
      const { compute, hbm, exposedCommunication, pipelineBubble, overhead } = timeSeconds
      const sum = compute + hbm + exposedCommunication + pipelineBubble + overhead
      expect(sum / stepTimeSeconds).toBeCloseTo(1, 6)
    }
  })

  law('is no slower than with other layouts on its mesh', 6, [routed, whole(0, 1e6)], (problem, seed) => {
    const [plan] = infer(problem, solver).plans
    if (!plan) return
    const { mesh, layout, stepTimeSeconds } = plan
    expect(evaluated(problem, mesh, layout.components).stepTimeSeconds).toBeCloseTo(stepTimeSeconds, 12)
    const { frameworks } = problem.assumptions
    const launches = ({ launch }: InferencePlan) => launchersAmong(frameworks, launch).length > 0
    const choices = choicesOf(inferenceModel(problem), mesh)
    for (let tried = 0; tried < 10; tried++) {
      const other = evaluated(problem, mesh, choices[(seed + 101 * tried) % choices.length])
      // A layout that nothing launches is listed only where nothing else is.
      const counts = other.feasible && (launches(other) || !launches(plan))
      const seconds = counts ? other.stepTimeSeconds : Number.POSITIVE_INFINITY
      expect(seconds).toBeGreaterThanOrEqual(stepTimeSeconds * (1 - 1e-9))
    }
  })

  law(
    'reads no more of its weights in a step than it has',
    8,
    [mixtures, whole(16, 300)],
    (mixture, batch) => {
      const workload = generation(batch, 2000)
      const on = { chip: 'h100-sxm', chips: 16, workload, assumptions: 'book' as const }
      const problem = inferenceProblem({ ...on, model: withExperts(mixture) })
      const work = (sequences: number) => ({ sequences, positions: 1, headPositions: 1, contexts: [] })
      expect(floorSeconds(problem, work(batch))).toBeLessThanOrEqual(floorSeconds(problem, work(batch + 1)))
      for (const { streaming, memoryBytes, microbatches } of infer(problem, solver).plans) {
        const stored = memoryBytes.parameters / problem.cluster.chip.hbmBytesPerSecond
        expect(streaming.weightsSeconds).toBeLessThanOrEqual(stored * microbatches * (1 + 1e-9))
      }
    },
  )
})

describe('latent attention', () => {
  const problem = (workload: PhaseProblem['workload'], chips = 4): PhaseProblem =>
    problemOf({ model: latentModel, chip: 'h100-sxm', chips, workload })
  const { model } = problem(generation(1, 1))

  it('caches one latent vector and one rotary key of a position, whole on every tensor chip', () => {
    const bytes = (mesh: Partial<Mesh>, cache: string) =>
      evaluated(problem(generation(64, 1000)), mesh, { attention: `1d/${cache}/absorbed` }).memoryBytes
        .kvCache
    const whole = 64 * kvCacheBytes(model, 1000, 2)
    expect(whole).toBe(64 * 1000 * dense.layers * (128 + 32) * 2)
    expect(bytes({ tensor: 4 }, 'heads')).toBe(whole)
    expect(bytes({ tensor: 4 }, 'batch')).toBe(whole / 4)
    expect(bytes({ tensor: 4 }, 'sequence')).toBe(whole / 4)
    expect(bytes({ data: 4 }, 'heads')).toBe(whole / 4)
  })

  it('is absorbed where one token meets a long cache, and projected where a long prompt meets itself', () => {
    const forms = (workload: PhaseProblem['workload']) =>
      infer(problem(workload), solver).plans.map(({ layout }) => layout.components.attention?.split('/')[2])
    expect(new Set(forms(generation(64, 8000)))).toEqual(new Set(['absorbed']))
    expect(new Set(forms(prompts(8, 8000)))).toEqual(new Set(['projected']))
  })

  it('multiplies as often in either form, but for what heads meet', () => {
    const [positions, heads] = [512, 16]
    const arithmetic = (form: string) => {
      const workload = prompts(1, positions)
      const assumptions = { basis: 'book', attentionFlops: 'full' } as const
      const given = inferenceProblem({
        model: latentModel,
        chip: 'h100-sxm',
        chips: 1,
        workload,
        assumptions,
      })
      const { streaming } = evaluated(given, {}, { attention: `1d/heads/${form}` })
      return streaming.arithmeticSeconds * (given.cluster.chip.peakFlopsPerSecond.bf16 ?? Number.NaN)
    }
    const { keyValueRank, ropeHeadDim, nopeHeadDim, valueHeadDim } = latent
    const wider = 2 * keyValueRank + ropeHeadDim - (nopeHeadDim + ropeHeadDim + valueHeadDim)
    const more = 2 * dense.layers * heads * positions ** 2 * wider
    expect((arithmetic('absorbed') - arithmetic('projected')) / more).toBeCloseTo(1, 6)
  })

  law('takes no less than the floor', 10, [problems(fc.constant(latentModel))], (given) => {
    for (const { stepTimeSeconds, floorSeconds: floor } of infer(given, solver).plans) {
      expect(floor).toBeLessThanOrEqual(stepTimeSeconds * (1 + 1e-9))
    }
  })
})
