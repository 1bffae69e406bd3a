/** Policies that keep arrays on the host: what leaves the chip's memory, and when the transfers are waited for. */

import { describe, expect, it } from 'vitest'
import type { Bound } from '../../../src/cost/communication/traffic.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { type Mix, stageBytes } from '../../../src/cost/memory/stage-memory.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { computeNumbers, trafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { createStepScratch } from '../../../src/cost/step/stage-time.ts'
import { type StageGroup, stageGroups } from '../../../src/cost/step/stages.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import type { Problem } from '../../../src/problem.ts'
import { policyRows } from '../../../src/recipe/policy.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'
import { search } from '../../search.ts'

const searched: ProblemOptions = {
  model: 'llama-3-8b',
  chip: 'tpu-v5p',
  topology: [2, 2, 2],
  batchTokens: 8 * 8192,
  sequenceLength: 8192,
}

const base: ProblemOptions = { ...searched, rematerialization: policyRows.map(({ name }) => name) }

const onHost = policyRows.filter(({ host }) => host).map(({ name }) => name)

/** And the policy that keeps the same on the chip. */
const pairs = [
  ['minimal_offloaded', 'minimal'],
  ['qkv_proj_offloaded', 'save_qkv_proj'],
  ['full_offloaded', 'full'],
] as const

function withHost(options: ProblemOptions, hostBytesPerSecond: number): Problem {
  const made = problem(options)
  return { ...made, cluster: { ...made.cluster, chip: { ...made.cluster.chip, hostBytesPerSecond } } }
}

/** One microbatch, fully sharded. */
function priced(made: Problem) {
  const model = costModel(made)
  const mesh = { ...unitMesh, fsdp: 8 }
  const scale = createScale()
  setMesh(scale, mesh, model.extents, padded)
  setBatch(scale, 8)
  const stage = stageModel(model, 3)
  const memory = memoryNumbers(model, stage, scale)
  const [placement] = placements(made.cluster.network, mesh)
  if (!placement) throw new Error('the mesh lies on the torus')
  const traffic = trafficNumbers(model, stage, scale, model.prices.placed(placement, mesh))
  const compute = computeNumbers(model, scale)
  const schedule = { name: 'none', virtualStages: 1 } as const
  const groups = stageGroups([made.model.layers], schedule, 1)
  const [group] = groups as [StageGroup]
  const layers = { groups, schedule, microbatches: 1, update: 0 }
  const index = (name: string) => model.policies.findIndex((policy) => policy.name === name)
  const mix = (name: string): Mix => ({ policy: index(name), other: index(name), count: 0 })
  return {
    most: Math.max(...memory.kept),
    kept: (name: string) => memory.kept[index(name)] ?? Number.NaN,
    away: (name: string) => memory.host[index(name)] ?? Number.NaN,
    live: (name: string) => memory.live[index(name)] ?? Number.NaN,
    bytes: (name: string) => stageBytes(memory, group, mix(name)),
    time: (name: string, bound: Bound = 'expected') =>
      stepTime(
        { model, compute, traffic, layers, scratch: createStepScratch(model.resources) },
        mix(name),
        bound,
      ),
    perLayer: (name: string) => traffic.host[index(name)] ?? Number.NaN,
  }
}

describe('a policy that keeps arrays on the host', () => {
  const { most, kept, away, live, bytes, time, perLayer } = priced(problem(base))

  it.each(pairs)('%s: keeps what %s keeps, some of it elsewhere', (name, like) => {
    expect(kept(name) + away(name)).toBe(kept(like))
    expect(away(name)).toBeGreaterThan(0)
    expect(away(like)).toBe(0)
    expect(bytes(name)).toBeLessThan(bytes(like))
  })

  it('may keep nothing on the chip but the layer at work, and what comes for the next', () => {
    expect(kept('full_offloaded')).toBe(0)
    for (const name of onHost) expect(live(name)).toBe(most - kept(name) + away(name))
  })

  it('moves its bytes at the rate of the link', () => {
    const { hostBytesPerSecond } = problem(base).cluster.chip
    for (const name of onHost) expect(perLayer(name)).toBe(away(name) / hostBytesPerSecond)
  })

  it.each(pairs)('%s: takes as long as %s where the link is fast, and no less on any', (name, like) => {
    const fast = priced(withHost(base, 1e18))
    expect(fast.time(name) / fast.time(like)).toBeCloseTo(1, 6)
    for (const bound of ['expected', 'lower', 'upper'] as const) {
      expect(time(name, bound)).toBeGreaterThanOrEqual(time(like, bound))
    }
  })

  it('is hidden where everything overlaps and compute is longer, and else waited for', () => {
    const assumptions = {
      basis: 'calibrated',
      overlapPrefetched: 1,
      overlapCriticalPath: 1,
      overlapExchange: 1,
    } as const
    const hidden = priced(withHost({ ...base, assumptions }, 1e12))
    expect(hidden.time('minimal_offloaded')).toBe(hidden.time('minimal'))
    const slow = priced(withHost({ ...base, assumptions }, 1e8))
    const waited = 2 * problem(base).model.layers * slow.perLayer('minimal_offloaded')
    expect(slow.time('minimal_offloaded') / waited).toBeGreaterThanOrEqual(1)
    expect(slow.time('minimal_offloaded') / waited).toBeLessThan(1.01)
  })
})

describe('the search', () => {
  const chosen = (options: ProblemOptions) => {
    const model = costModel(withHost(options, 1e12))
    return search(model).candidates.map(({ mix }) => model.policies[mix.policy]?.name ?? '')
  }
  const constraints = { fsdp: 8, microbatches: 1 }
  const scarce = { constraints, batchTokens: 16 * 8192, memoryFraction: 0.5 }
  const tight: ProblemOptions = { ...searched, ...scarce }
  const { topology, ...anywhere } = tight
  const tightGpus: ProblemOptions = { ...anywhere, chip: 'h100-sxm', chips: 8 }

  it('keeps arrays on the host of TPUs where memory is short, and not where it is not', () => {
    const names = chosen(tight)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(onHost).toContain(name)
    for (const name of chosen({ ...searched, constraints })) expect(onHost).not.toContain(name)
  })

  it('does so on GPUs where the request names such a policy', () => {
    for (const name of chosen(tightGpus)) expect(onHost).not.toContain(name)
    const named = { ...tightGpus, batchTokens: 8 * 8192, rematerialization: ['full_offloaded'] }
    expect(chosen(named)).toEqual(['full_offloaded'])
  })
})
