import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { CostModel } from '../../../src/cost/model.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import type { Cluster, Network } from '../../../src/hardware/cluster/cluster.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { assemble } from '../../../src/plan/assemble.ts'
import type { Problem } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { enumeration, type Priced } from '../../agree/training/enumeration.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { oddDense } from '../../small-model.ts'

const small: Architecture = oddDense

/** The first two layers dense. */
const mixture: Architecture['experts'] = {
  ...{ experts: 4, activeExperts: 2, sharedExperts: 0, dFfExpert: 2048 },
  ...{ denseLayers: 2, every: 1 },
}

const base = { model: small, batchTokens: 16 * 4096, sequenceLength: 4096 }

const clusters: readonly Pick<ProblemOptions, 'chip' | 'chips' | 'topology' | 'slices'>[] = [
  { chip: 'tpu-v5e', topology: [2, 4] },
  { chip: 'tpu-v5p', topology: [2, 2, 2] },
  { chip: 'tpu-v5e', topology: [2, 2], slices: 2 },
  { chip: 'h100-sxm', chips: 8 },
  { chip: 'h100-sxm', chips: 16 },
]

const few = ['none', 'selective', 'full']

const bases = fc.constantFrom<'book' | 'calibrated'>('book', 'calibrated')
const anywhere = fc.constantFrom(...clusters.slice(0, 4))

function everyPlan(made: Problem): readonly Priced[] {
  const plans: Priced[] = []
  enumeration(costModel(made), { plan: (plan) => plans.push(plan) })
  return plans
}

/** Plans whose three times are not in order. */
function outside(plans: readonly Priced[]) {
  return plans
    .filter(
      ({ times: { lower, expected, upper } }) =>
        lower > expected * (1 + 1e-12) || expected > upper * (1 + 1e-12),
    )
    .map(({ mesh, schedule, times }) => ({ mesh, schedule, times }))
    .slice(0, 3)
}

describe('the times of a plan', () => {
  it.each(clusters)('lie between everything overlapping and nothing doing so, on %j', (cluster) => {
    const plans = everyPlan(problem({ ...base, ...cluster, rematerialization: few }))
    expect(plans.length).toBeGreaterThan(1000)
    expect(outside(plans)).toEqual([])
  })

  it('do so where stages differ: a vocabulary that outweighs the layers, on slow links', () => {
    const model: Architecture = { ...small, layers: 6, dModel: 256, heads: 8, headDim: 64, vocab: 128_256 }
    for (const cluster of [clusters[0], clusters[3]] as const) {
      for (const assumptions of ['book', 'calibrated'] as const) {
        const made = problem({
          ...base,
          ...(cluster as (typeof clusters)[number]),
          model,
          assumptions: { basis: assumptions, tokensDivideFreely: false },
          constraints: { pipeline: [2, 4] },
          rematerialization: few,
        })
        for (const links of [1, 0.1]) expect(outside(everyPlan(withCluster(made, { links })))).toEqual([])
      }
    }
  })

  it('are the lower bound where all communication may overlap, and the upper one where none may', () => {
    for (const [overlap, bound] of [
      [1, 'lower'],
      [0, 'upper'],
    ] as const) {
      const assumptions = {
        basis: 'calibrated',
        overlapPrefetched: overlap,
        overlapGathered: overlap,
        expertOverlapGathered: overlap,
        overlapCriticalPath: overlap,
        overlapExchange: overlap,
      } as const
      const made = problem({ ...base, ...clusters[0], chip: 'tpu-v5e', rematerialization: few, assumptions })
      // With three stages and more, the first microbatch waits for transfers that no lower bound has.
      const plans = everyPlan(made).filter(({ mesh }) => mesh.pipeline <= 2)
      for (const { times } of plans) expect(Math.abs(times.expected / times[bound] - 1)).toBeLessThan(1e-12)
    }
  })
})

/** The best score there is; infinite where nothing fits. */
function best(made: Problem): number {
  return search(costModel({ ...made, top: 1 })).candidates[0]?.score ?? Number.POSITIVE_INFINITY
}

const problems = fc
  .record({
    cluster: anywhere,
    assumptions: bases,
    layers: fc.integer({ min: 1, max: 6 }),
    vocab: fc.constantFrom(1000, 32_003, 128_256),
    dFf: fc.constantFrom(1000, 4096),
    memory: fc.double({ min: 8.5, max: 10.5, noNaN: true }),
    slower: fc.constantFrom(1, 5, 40),
    experts: fc.constantFrom(null, null, mixture),
  })
  .map(({ cluster, assumptions, memory, slower, ...shape }) => {
    const model = { ...small, ...shape }
    const made = problem({ ...base, ...cluster, model, assumptions, memoryBudget: 10 ** memory })
    return withCluster(made, { links: 1 / slower })
  })

interface Factors {
  readonly flops?: number
  readonly hbm?: number
  readonly links?: number
  readonly latencies?: number
}

/** The same problem on chips whose rates are so many times these. */
function withCluster(made: Problem, { flops = 1, hbm = 1, links = 1, latencies = 1 }: Factors): Problem {
  const { chip } = made.cluster
  const peaks = Object.entries(chip.peakFlopsPerSecond).map(([type, rate]) => [type, rate * flops])
  const cluster: Cluster = {
    ...made.cluster,
    chip: {
      ...chip,
      peakFlopsPerSecond: Object.fromEntries(peaks),
      hbmBytesPerSecond: chip.hbmBytesPerSecond * hbm,
      hostBytesPerSecond: chip.hostBytesPerSecond * hbm,
    },
    network: scaledNetwork(made.cluster.network, links, latencies),
  }
  return { ...made, cluster }
}

function scaledNetwork(network: Network, links: number, latencies: number): Network {
  if (network.kind === 'torus') {
    return {
      ...network,
      linkBytesPerSecond: network.linkBytesPerSecond * links,
      dcnBytesPerSecondPerChip: network.dcnBytesPerSecondPerChip * links,
      hopSeconds: network.hopSeconds * latencies,
      dcnLatencySeconds: network.dcnLatencySeconds * latencies,
    }
  }
  const tiers = network.tiers.map((tier) => ({
    ...tier,
    bytesPerSecondPerChip: tier.bytesPerSecondPerChip * links,
    latencySeconds: tier.latencySeconds * latencies,
  }))
  return { ...network, tiers }
}

describe('the best plan', () => {
  const noSlower = (name: string, better: (made: Problem) => Problem) =>
    law(`is no slower with ${name}`, 6, [problems], (made) => {
      const now = best(made)
      fc.pre(Number.isFinite(now))
      expect(best(better(made))).toBeLessThanOrEqual(now * (1 + 1e-9))
    })

  noSlower('faster arithmetic', (made) => withCluster(made, { flops: 2 }))
  noSlower('faster links', (made) => withCluster(made, { links: 2 }))
  noSlower('faster memory', (made) => withCluster(made, { hbm: 2 }))
  noSlower('more memory', (made) => ({ ...made, memoryBudget: made.memoryBudget * 1.3 }))
  noSlower('more overlap', (made) => ({
    ...made,
    assumptions: {
      ...made.assumptions,
      ...{
        overlapPrefetched: 1,
        overlapGathered: 1,
        expertOverlapGathered: 1,
        overlapCriticalPath: 1,
        overlapExchange: 1,
      },
    },
  }))
  noSlower('chips twice as fast in everything', (made) => withCluster(made, { flops: 2, hbm: 2, links: 2 }))

  law(
    'takes k times as long where every rate is a k-th and every latency k times',
    6,
    [problems, fc.constantFrom(2, 8, 64)],
    (made, k) => {
      const slow = withCluster(made, { flops: 1 / k, hbm: 1 / k, links: 1 / k, latencies: k })
      // Every time that is assumed is fixed: of a layer, a step, a straggler, a matmul of many experts.
      const times = Object.entries(made.assumptions)
        .filter(([name, value]) => name.endsWith('Seconds') && typeof value === 'number')
        .map(([name, value]) => [name, Number(value) * k])
      const slower = { ...slow, assumptions: { ...made.assumptions, ...Object.fromEntries(times) } }
      const now = best(made)
      fc.pre(Number.isFinite(now))
      expect(best(slower) / now).toBeCloseTo(k, 9)
    },
  )

  law(
    'uses at most what the chips can do, and its hardware at least as much as the model needs',
    6,
    [problems],
    (made) => {
      const model = costModel({ ...made, top: 5 })
      search(model).candidates.forEach((candidate, at) => {
        const { mfu, hfu } = assemble(model, candidate, at + 1, javascriptLpSolver)
        expect(mfu).toBeGreaterThan(0)
        expect(hfu).toBeLessThanOrEqual(1 + 1e-12)
        expect(hfu).toBeGreaterThanOrEqual(mfu * (1 - 1e-12))
      })
    },
  )
})

describe('padding', () => {
  const meshes = fc.constantFrom<Partial<Mesh>>(
    { tensor: 4 },
    { tensor: 12 },
    { tensor: 2, tensor2: 3 },
    { context: 7 },
    { fsdp: 16, tensor: 4, context: 3 },
  )
  const awkward = { ...base, model: { ...small, dFf: 4099 }, sequenceLength: 4093, batchTokens: 16 * 4093 }
  const made = (tokensDivideFreely: boolean) =>
    costModel(
      problem({
        ...awkward,
        chip: 'h100-sxm',
        chips: 8,
        assumptions: { basis: 'calibrated', tokensDivideFreely },
      }),
    )
  const [padded, exact] = [made(false), made(true)]

  function compute(model: CostModel, mesh: Partial<Mesh>) {
    const scale = createScale()
    setMesh(scale, { ...unitMesh, ...mesh }, model.extents, model.problem.assumptions)
    setBatch(scale, 16)
    const { forward, backward, headForward, headBackward } = computeNumbers(model, scale)
    return [forward, ...backward, headForward, headBackward]
  }

  law('never lowers a time', 100, [meshes], (mesh) => {
    const whole = compute(exact, mesh)
    compute(padded, mesh).forEach((time, at) => {
      expect(time).toBeGreaterThanOrEqual(whole[at] ?? Number.NaN)
    })
  })

  it('costs what the next size that divides costs', () => {
    const rounded = costModel(
      problem({
        ...awkward,
        model: { ...small, dFf: 4100, vocab: 32_004 },
        sequenceLength: 4096,
        batchTokens: 16 * 4096,
        chip: 'h100-sxm',
        chips: 8,
      }),
    )
    const sizes = [padded, rounded].map((model) => {
      const scale = createScale()
      setMesh(scale, { ...unitMesh, tensor: 4 }, model.extents, model.problem.assumptions)
      setBatch(scale, 16)
      const { headForward } = computeNumbers(model, scale)
      return headForward
    })
    expect(sizes[0]).toBeCloseTo(sizes[1] ?? 0, 12)
  })
})
