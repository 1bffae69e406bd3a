import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { infer } from '../../../src/infer.ts'
import { beyondRuns } from '../../../src/plan/certainty/measured-range.ts'
import {
  deploymentPreferences,
  type Listed,
  trainingPreferences,
} from '../../../src/plan/certainty/preferences.ts'
import { preferredOf } from '../../../src/plan/certainty/preferred.ts'
import { againstFirst, chanceOf, compared, onMeshes } from '../../../src/plan/certainty/ties.ts'
import { wholeBeside } from '../../../src/plan/explain/idle-chips.ts'
import type {
  GenerateWorkload,
  InferenceWorkload,
  PrefillWorkload,
  ServeWorkload,
} from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { axes, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { ranLimits } from '../../accuracy/ran-limits.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'

const { residuals } = loadCatalogue()
const { cluster } = problem({
  ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 8192 },
})

const preferences = trainingPreferences({ chip: cluster.chip, recipes: [], beyond: null })

const bySteps = onMeshes(
  residuals.differences,
  'training',
  ({ stepTimeSeconds }: { readonly mesh: Mesh; readonly stepTimeSeconds: number }) => stepTimeSeconds,
)

const meshes = fc
  .record({ fsdp: fc.constantFrom(1, 8), tensor: fc.constantFrom(1, 2, 8), pipeline: fc.constantFrom(1, 4) })
  .map((sizes): Mesh => ({ ...unitMesh, ...sizes }))

const plans = fc
  .array(
    fc.record({
      mesh: meshes,
      seconds: fc.double({ min: 1, max: 1.2, noNaN: true }),
      memory: fc.double({ min: 1, max: 2, noNaN: true }),
      tier: fc.constantFrom(0, 1),
      unsupported: fc.boolean(),
      idleChips: fc.constantFrom(0, 0, 4),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) => {
    const ranked = [...all].sort((a, b) => a.seconds - b.seconds)
    return compared(
      ranked.map(({ mesh, seconds, memory, tier, unsupported, idleChips }, at) => ({
        ...{ rank: at + 1, id: String(at), mesh, stepTimeSeconds: seconds, headroom: { memory } },
        ...{ idleChips, chips: 8 - idleChips },
        placement: axes
          .filter((axis) => mesh[axis] > 1)
          .map((axis) => ({ axis, on: 'nvlink', physical: [tier] })),
        launch: { megatron: [], torchtitan: unsupported ? { unsupported: ['no'] } : '', notes: [] },
      })),
      bySteps,
    )
  })

describe('the chance that a plan is the faster', () => {
  it('is a half where both are predicted alike, and falls with what is between them', () => {
    const { training } = residuals.differences
    expect(chanceOf(0, training)).toBe(0.5)
    expect(chanceOf(10, training)).toBe(0)
    forAll(
      100,
      [fc.double({ min: 0, max: 0.5, noNaN: true }), fc.double({ min: 0, max: 0.5, noNaN: true })],
      (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        expect(chanceOf(more, training)).toBeLessThanOrEqual(chanceOf(less, training))
        expect(chanceOf(-more, training)).toBeCloseTo(1 - chanceOf(more, training), 12)
      },
    )
    // A tenth of what was measured lies between two deciles.
    for (const [tenth, decile] of training.deciles.entries()) {
      expect(chanceOf(decile, training)).toBeCloseTo((1 - tenth / 10) / 2, 9)
    }
  })

  it('falls less between layouts that lie further apart, and where one lies beyond all measured runs', () => {
    const { growth, training } = residuals.differences
    expect(growth).toBeGreaterThan(0)
    const at = (sizes: Partial<Mesh>) => ({ mesh: { ...unitMesh, ...sizes }, stepTimeSeconds: 1.03 })
    const first = { ...at({ tensor: 2, fsdp: 4 }), stepTimeSeconds: 1 }
    const chance = (sizes: Partial<Mesh>, comparing = bySteps) => {
      if (!comparing) throw new Error('Nothing is known of differences')
      return againstFirst(at(sizes), first, comparing)
    }
    const [alike, near, far] = [
      { tensor: 2, data: 4 },
      { tensor: 4, fsdp: 2 },
      { context: 4, pipeline: 2 },
    ]
    expect(chance(alike)).toMatchObject({ octaves: 0, chanceFaster: chanceOf(Math.log(1.03), training) })
    expect(chance(near)).toMatchObject({
      octaves: 1,
      chanceFaster: chanceOf(Math.log(1.03) / Math.sqrt(1 + growth), training),
    })
    expect(chance(far).octaves).toBe(4)
    const ascending = [alike, near, far].map((sizes) => chance(sizes).chanceFaster)
    expect([...ascending].sort((a, b) => a - b)).toEqual(ascending)
    const beyond = onMeshes<typeof first>(
      residuals.differences,
      'training',
      ({ stepTimeSeconds }) => stepTimeSeconds,
      ({ mesh: { context } }) => Math.log2(context),
    )
    expect(chance(far, beyond).octaves).toBe(6)
    expect(chance(far, beyond).chanceFaster).toBeGreaterThan(chance(far).chanceFaster)
  })
})

describe('how far a layout lies beyond measured runs', () => {
  const runs = [
    {
      ...{ mesh: { ...unitMesh, tensor: 8, pipeline: 16 }, virtualStages: 4 },
      ...{ sequenceLength: 2048, chip: cluster.chip },
    },
    { mesh: { ...unitMesh, context: 2 }, sequenceLength: 8192, chip: cluster.chip },
  ]
  const limits = ranLimits(runs)
  const octaves = (sizes: Partial<Mesh>, sequenceLength: number) =>
    beyondRuns({ mesh: { ...unitMesh, ...sizes }, sequenceLength, chip: cluster.chip }, limits).octaves

  it('is told by what runs had: pieces of a sequence, tensor ranks of a node, stages', () => {
    expect(limits).toEqual({
      ...{ positions: 4096, tensorPerNode: 1, stages: 16 },
      ...{ virtualStages: 4, expertRanks: 1 },
    })
    for (const run of runs) expect(beyondRuns(run, limits)).toEqual({ octaves: 0, says: [] })
    // Short sequences are no reason: only cut ones are.
    expect(octaves({ pipeline: 4 }, 1024)).toBe(0)
    expect(octaves({ context: 4 }, 8192)).toBe(1)
    expect(octaves({ context: 4 }, 16_384)).toBe(0)
    expect(octaves({ context: 8, tensor: 16, pipeline: 64 }, 8192)).toBe(5)
  })

  it('is told in words of all that no run had', () => {
    const mesh = { ...unitMesh, context: 4, tensor: 16 }
    expect(beyondRuns({ mesh, sequenceLength: 8192, chip: cluster.chip }, limits).says).toEqual([
      '2048 positions of a sequence on a chip, where runs had at least 4096',
      'tensor parallelism over 2 nodes, where runs had at most 1',
    ])
    expect(residuals.ran.positions).toBe(4096)
    const chunks = (virtualStages: number) =>
      beyondRuns({ mesh: unitMesh, virtualStages, sequenceLength: 8192, chip: cluster.chip }, limits)
    expect(chunks(4).says).toEqual([])
    expect(chunks(16)).toEqual({
      octaves: 2,
      says: ['16 virtual stages on a chip, where runs had at most 4'],
    })
  })
})

describe('the plan that is preferred', () => {
  law(
    'is one of those that are tied, by what tells them apart first, and says why',
    100,
    [plans],
    (listed) => {
      const preferred = preferredOf(listed, preferences, listed.length + 1)
      if (listed.length < 2) {
        expect(preferred).toBeNull()
        return
      }
      const all = listed.filter(({ againstFirst: own }) => own?.tied)
      expect(preferred?.more).toBe(false)
      const full = preferredOf(listed, preferences, listed.length)
      expect(full).toEqual({ ...preferred, more: listed.at(-1)?.againstFirst?.tied })
      const whole = all.filter(({ idleChips }) => idleChips === 0)
      const tied = whole.length > 0 ? whole : all
      const chosen = tied.find(({ id }) => id === preferred?.id)
      if (!chosen) throw new Error('What is preferred is not tied')
      expect(preferred?.among).toBe(all.length)
      expect(listed[0]?.againstFirst).toEqual({ slowerBy: 0, octaves: 0, chanceFaster: 0.5, tied: true })
      const across = ({ mesh, placement }: Pick<Listed, 'mesh' | 'placement'>) =>
        mesh.tensor > 1 && placement.some(({ physical }) => Math.max(...physical) > 0) ? 1 : 0
      expect(across(chosen)).toBe(Math.min(...tied.map(across)))
      const inUse = ({ mesh }: Pick<Listed, 'mesh'>) => axes.filter((axis) => mesh[axis] > 1).length
      const alike = tied.filter((plan) => across(plan) === across(chosen))
      expect(inUse(chosen)).toBe(Math.min(...alike.map(inUse)))
      if (chosen.rank === 1) expect(preferred?.reasons).toEqual([])
      else expect(preferred?.reasons.length).toBeGreaterThan(0)
    },
  )

  law(
    'uses all chips where a tied plan does, which is told where the first leaves some idle',
    100,
    [plans],
    (listed) => {
      const whole = listed.find(({ idleChips, againstFirst }) => idleChips === 0 && againstFirst?.tied)
      const text = wholeBeside(listed, whole?.stepTimeSeconds ?? null)
      const sooner = whole && wholeBeside(listed, whole.stepTimeSeconds / 1.01)
      if (!whole || listed[0]?.idleChips === 0) expect(text).toBeNull()
      else {
        expect(text).toContain(`plan 1 leaves 4 of 8 chips idle; plan ${whole.rank} uses all`)
        expect(text).toMatch(/which is faster$/)
        expect(sooner).toMatch(
          /counts as the same as one listed takes .* on all of them: constraints.chips 8 or/,
        )
        const preferred = preferredOf(listed, preferences, listed.length + 1)
        expect(listed.find(({ id }) => id === preferred?.id)?.idleChips).toBe(0)
      }
    },
  )

  it('is not told where nothing was measured', () => {
    expect(
      preferredOf(compared<Listed & { rank: number; id: string }>([], undefined), preferences, 1),
    ).toBeNull()
  })
})

describe('deployments and plans of a phase', () => {
  const asked = <Workload extends InferenceWorkload>(workload: Workload) => {
    const own = inferenceProblem<Workload>({
      model: 'llama-3-8b',
      chip: 'h100-sxm',
      chips: 8,
      workload,
      top: 6,
    })
    return { ...own, residuals }
  }
  const generates = { mode: 'generate', contextLength: 2048, meanContextLength: 2048 } as const
  const load: ServeWorkload = {
    mode: 'serve',
    promptLength: 512,
    outputLength: 128,
    disaggregated: 'auto',
    cachedPrefixLength: 0,
  }

  it('are compared by what their list is ranked by', () => {
    const lists = [
      infer(asked<GenerateWorkload>({ ...generates, batchSequences: 64 }), solver),
      infer(asked<GenerateWorkload>({ ...generates, batchSequences: 'max' }), solver),
      infer(
        asked<PrefillWorkload>({
          mode: 'prefill',
          promptLength: 2048,
          batchSequences: 4,
          cachedPrefixLength: 0,
        }),
        solver,
      ),
      serve(asked<ServeWorkload>({ ...load, requestsPerSecond: 20 }), solver),
      serve(asked<ServeWorkload>(load), solver),
    ]
    for (const { plans, preferred } of lists) {
      expect(plans.length).toBeGreaterThan(1)
      const slower = plans.map(({ againstFirst: own }) => own?.slowerBy ?? Number.NaN)
      expect(slower[0]).toBe(0)
      for (const [at, own] of slower.entries())
        expect(own).toBeGreaterThanOrEqual((slower[at - 1] ?? 0) - 1e-6)
      const chosen = plans.find(({ id }) => id === preferred?.id)
      expect(chosen?.againstFirst?.tied).toBe(true)
      expect(preferred?.among).toBe(plans.filter(({ againstFirst: own }) => own?.tied).length)
    }
  })

  it('do both phases on the same servers, where that is tied with the first', () => {
    const parts = (pipeline: number) => ({ mesh: { ...unitMesh, pipeline }, placement: [] })
    forAll(
      100,
      [
        fc.array(
          fc.record({ disaggregated: fc.boolean(), tied: fc.boolean(), stages: fc.constantFrom(1, 2) }),
          {
            minLength: 2,
          },
        ),
      ],
      (all) => {
        const listed = all.map(({ disaggregated, tied, stages }, at) => ({
          ...{ rank: at + 1, id: String(at), idleChips: 0, disaggregated },
          ...{ prefill: parts(1), generate: parts(stages) },
          againstFirst: { slowerBy: 0, octaves: 0, chanceFaster: 0.5, tied: tied || at === 0 },
        }))
        const preferred = preferredOf(listed, deploymentPreferences(cluster.chip), listed.length)
        const among = listed.filter(({ againstFirst: { tied } }) => tied)
        const chosen = among.find(({ id }) => id === preferred?.id)
        expect(chosen?.disaggregated).toBe(among.every(({ disaggregated }) => disaggregated))
        const alike = among.filter(({ disaggregated }) => disaggregated === chosen?.disaggregated)
        expect(chosen?.generate.mesh.pipeline).toBe(
          Math.min(...alike.map(({ generate }) => generate.mesh.pipeline)),
        )
      },
    )
  })
})
