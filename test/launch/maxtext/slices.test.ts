/** Chips that stand idle beside those of a plan, which MaxText sees as well. */
import { describe, expect, it } from 'vitest'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { onCluster } from '../../../src/cost/posed.ts'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { partsOf } from '../../../src/hardware/cluster/fewer-chips.ts'
import { optimize } from '../../../src/optimize.ts'
import { launchedPlan } from '../../golden/launched-plan.ts'
import { solver } from '../../inference-problem.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { smallDense } from '../../small-model.ts'

const sequenceLength = 4096
const asked = { model: 'llama-3-8b', batchTokens: 64 * sequenceLength, sequenceLength }

function launchedOn(options: Partial<ProblemOptions> & { readonly chip: string }, chips: number) {
  const whole = problem({ ...asked, ...options })
  const parts = partsOf(whole.cluster, chips)
  return (among: (part: Cluster) => boolean = () => true) => {
    const part = parts.find(among)
    if (!part) throw new RangeError('no such part')
    return launchedPlan(onCluster(costModel(whole), part), { mesh: { fsdp: chips } })
  }
}

describe('a slice that MaxText starts on', () => {
  it('is taken whole: the slice that a plan takes is named', () => {
    const { maxtext } = launchedOn({ chip: 'tpu-v5p', topology: [4, 4, 4] }, 32)()
    expect(maxtext).toMatchObject({
      unsupported: [
        'MaxText takes all 64 chips of a slice, of which the plan leaves 32 idle; it runs on 2x4x4 of its own',
      ],
    })
  })

  it('may be left out whole', () => {
    const { maxtext } = launchedOn(
      { chip: 'tpu-v5p', topology: [4, 4, 4], slices: 2 },
      64,
    )(({ network }) => network.kind === 'torus' && network.topology.join() === '4,4,4')
    expect(maxtext).toMatchObject({ ici_fsdp_parallelism: 64 })
  })

  it('has a plan that takes all of it listed before a faster one that nobody starts', () => {
    const small = { model: smallDense, chip: 'tpu-v5p', topology: [2, 4, 4], sequenceLength: 1024 }
    const { plans, unlaunchable } = optimize(problem({ ...small, batchTokens: 1024, top: 3 }), solver)
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.map(({ idleChips }) => idleChips)).toEqual(plans.map(() => 0))
    expect(unlaunchable?.plan.idleChips ?? 0).toBe(0)
  })

  it('is told to be smaller where none takes it whole', () => {
    const { plans, infeasible, unlaunchable } = optimize(
      problem({ ...asked, chip: 'tpu-v5p', topology: [4, 4, 4], constraints: { chips: 32 } }),
      solver,
    )
    expect(plans).toEqual([])
    expect(infeasible?.reasons[0]?.reason).toBe('launch')
    expect(infeasible?.suggestions).toContainEqual(
      expect.objectContaining({ change: 'a smaller slice', pointer: '/hardware/topology', value: [2, 4, 4] }),
    )
    expect(unlaunchable?.reasons.maxtext?.[0]).toContain('2x4x4 of its own')
    const smaller = problem({ ...asked, chip: 'tpu-v5p', topology: [2, 4, 4], constraints: { chips: 32 } })
    expect(optimize(smaller, solver).plans[0]?.chips).toBe(32)
  })
})

describe('a host of GPUs that MaxText starts on', () => {
  it('shows the GPUs that work, and no host that is left out', () => {
    const command = (chips: number, each: number) =>
      launchedOn(
        { chip: 'h100-sxm', chips: 16 },
        chips,
      )(({ network }) => network.kind === 'switched' && network.tiers[0]?.size === each).commands?.maxtext
        ?.command
    expect(command(8, 4)).toMatch(/^CUDA_VISIBLE_DEVICES=0,1,2,3 NNODES=2 /)
    expect(command(4, 8)).toMatch(/^CUDA_VISIBLE_DEVICES=0,1,2,3 python3 /)
    expect(command(8, 8)).toMatch(/^python3 /)
    expect(command(16, 8)).toMatch(/^NNODES=2 /)
  })
})
