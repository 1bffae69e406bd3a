/** The edge of each rule of written layouts and placements: a plan just inside of it breaks none, and the next one that rule alone. Worked out by hand. */
import { describe, expect, it } from 'vitest'
import type { AxisPlacementSketch, PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { layoutRules } from '../../../src/rules/layout.ts'
import { componentRules, type PassRead, passRules } from '../../../src/rules/phase.ts'
import { entryRules, type Lines, wholeRule } from '../../../src/rules/placement.ts'
import { faults } from '../../../src/rules/rule.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'
import { expectAnEdge } from './broken.ts'

const one = { chip: 'h100-sxm', chips: 32, batchTokens: 2 ** 18, sequenceLength: 4096 }

describe('a written layout of training', () => {
  /** 64 sequences of 32 layers. */
  const trained = problem({ ...one, model: 'llama-3-8b', assumptions: 'calibrated' })
  const free: Problem = { ...trained, assumptions: { ...trained.assumptions, tokensDivideFreely: true } }
  const overfull: Problem = { ...trained, workload: { ...trained.workload, batchTokens: 2 ** 18 + 1 } }
  type Sketch = Omit<Partial<PlanSketch>, 'mesh'> & { readonly mesh?: Partial<Mesh> }
  const piped = (pipeline: number, more: Sketch): Sketch => ({ ...more, mesh: { data: 4, pipeline } })
  const mix = (...layers: readonly number[]): Sketch => ({
    rematerialization: layers.map((count, at) => ({
      policy: ['none', 'full', 'selective'][at] ?? 'none',
      layers: count,
    })),
  })
  const edges: readonly [inside: Sketch, outside: Sketch, said: string, of?: Problem][] = [
    [{ mesh: { context: 2 }, contextLayout: 'ring' }, { contextLayout: 'ring' }, 'context axis is 1'],
    [
      { mesh: { tensor: 2, context: 4 }, contextLayout: 'ulysses' },
      { mesh: { tensor: 4, context: 4 }, contextLayout: 'ulysses' },
      'context = 16, which does not divide them',
    ],
    [
      { mesh: { tensor: 4, context: 2 }, contextLayout: 'ulysses' },
      { mesh: { tensor: 8, context: 2 }, contextLayout: 'ulysses' },
      'context = 16, which does not divide them',
    ],
    [piped(2, { pipelineSchedule: 'gpipe' }), { pipelineSchedule: 'gpipe' }, 'the pipeline axis is 1'],
    [piped(4, { pipelineSchedule: 'dualpipe' }), { pipelineSchedule: 'dualpipe' }, 'the pipeline axis is 1'],
    [{ pipelineSchedule: 'none' }, piped(2, { pipelineSchedule: 'none' }), '2 pipeline stages need'],
    [
      piped(2, { pipelineSchedule: 'interleaved-1f1b', virtualStages: 2 }),
      piped(2, { pipelineSchedule: '1f1b', virtualStages: 2 }),
      'only interleaved-1f1b has virtual stages',
    ],
    [{ virtualStages: 1 }, { virtualStages: 2 }, 'has virtual stages'],
    [
      piped(4, { pipelineSchedule: 'dualpipe', microbatches: 8 }),
      piped(3, { pipelineSchedule: 'dualpipe', microbatches: 3 }),
      'an even number of stages',
    ],
    [
      piped(4, { pipelineSchedule: 'dualpipe', microbatches: 8 }),
      piped(4, { pipelineSchedule: 'dualpipe', microbatches: 6 }),
      'at least two for each stage',
    ],
    [
      piped(4, { pipelineSchedule: 'dualpipe', microbatches: 10 }),
      piped(4, { pipelineSchedule: 'dualpipe', microbatches: 9 }),
      'an even number of microbatches',
    ],
    [
      piped(2, { pipelineSchedule: 'dualpipe', microbatches: 4 }),
      piped(2, { pipelineSchedule: 'dualpipe', microbatches: 3 }),
      'an even number of microbatches',
    ],
    // An end may have the embedding or the loss in place of a layer: 34 chunks on four chips are eight each.
    [
      piped(4, { pipelineSchedule: 'interleaved-1f1b', virtualStages: 8 }),
      piped(4, { pipelineSchedule: 'interleaved-1f1b', virtualStages: 9 }),
      '4 x 9 virtual stages',
    ],
    [{ zeroStage: 0, mesh: { fsdp: 1, data: 8 } }, { zeroStage: 0, mesh: { fsdp: 2, data: 4 } }, 'not fsdp'],
    [
      { zeroStage: 3, mesh: { fsdp: 2, data: 4 } },
      { zeroStage: 3, mesh: { fsdp: 1, data: 8 } },
      'use fsdp 8 instead of data 8',
    ],
    // Weights are sharded over context too.
    [{ zeroStage: 3, mesh: { context: 2, data: 4 } }, { zeroStage: 3, mesh: { data: 2 } }, 'fsdp 2'],
    [{ zeroStage: 3, mesh: { fsdp: 2, context: 2, data: 4 } }, { zeroStage: 3, mesh: { data: 4 } }, 'fsdp 4'],
    [
      { zeroStage: 3, mesh: { context: 2, expert: 2, data: 4 } },
      { zeroStage: 3, mesh: { data: 4 } },
      'fsdp 4',
    ],
    [{ zeroStage: 3, mesh: { data: 1 } }, { zeroStage: 3, mesh: { data: 2 } }, 'fsdp 2'],
    [
      { mesh: { data: 8 }, microbatches: 8 },
      { mesh: { data: 8 }, microbatches: 9 },
      'a replica has 8 sequences',
    ],
    // Of 48 replicas some have two of the 64 sequences.
    [
      { mesh: { data: 48 }, microbatches: 2 },
      { mesh: { data: 48 }, microbatches: 3 },
      'a replica has 2 sequences',
    ],
    // The last one is short by 4095 tokens.
    [{ microbatches: 65 }, { microbatches: 66 }, 'a replica has 65 sequences', overfull],
    [
      { mesh: { data: 8 }, microbatches: 3, microbatchTokens: 12_288 },
      { mesh: { data: 8 }, microbatches: 3, microbatchTokens: 8192 },
      'are 12288 tokens each, not 8192',
    ],
    [
      { mesh: { data: 8 }, microbatches: 16, microbatchTokens: 2048 },
      { mesh: { data: 8 }, microbatches: 16, microbatchTokens: 4096 },
      'are 2048 tokens each, not 4096',
      free,
    ],
    [
      piped(2, { stageLayers: [16, 16] }),
      piped(2, { stageLayers: [12, 10, 10] }),
      'has 3 stages; the pipeline axis is 2',
    ],
    [piped(2, { stageLayers: [15, 17] }), piped(2, { stageLayers: [15, 16] }), 'the stages have 31 layers'],
    [piped(2, { stageLayers: [15, 17] }), piped(2, { stageLayers: [17, 16] }), 'the stages have 33 layers'],
    [
      piped(2, { stageLayers: [1, 31] }),
      piped(2, { stageLayers: [15.5, 16.5] }),
      'stages of 15.5 layers are not whole',
    ],
    [{ rematerialization: 'full' }, { rematerialization: 'fuller' }, 'the policy fuller is not known'],
    [
      mix(16, 16),
      { rematerialization: ['fuller', 'fullest'].map((policy) => ({ policy, layers: 16 })) },
      'the policies fuller and fullest are not known',
    ],
    [mix(16, 16), mix(16, 8, 8), 'at most two policies'],
    [mix(16, 16), mix(16, 15), 'add up to 31 layers'],
    [mix(16, 16), mix(16, 17), 'add up to 33 layers'],
    [mix(16, 16), mix(15.5, 16.5), 'have to be whole'],
  ]
  const sketchOf = ({ mesh, ...sketch }: Sketch): PlanSketch => ({
    ...sketch,
    mesh: { ...unitMesh, ...mesh },
  })

  it.each(edges)('may be %j, and not %j: %s', (inside, outside, said, of = trained) => {
    const read = (sketch: Sketch) => ({ problem: of, sketch: sketchOf(sketch) })
    expectAnEdge(layoutRules, read(inside), read(outside), said)
  })

  it('breaks every rule at some edge', () => {
    const broken = edges.flatMap(([, outside, , of = trained]) =>
      layoutRules.filter((rule) => rule.broken({ problem: of, sketch: sketchOf(outside) })),
    )
    expect(new Set(broken)).toEqual(new Set(layoutRules))
  })

  it('may have any number of layers and microbatches where tokens divide freely', () => {
    const saidOf = (sketch: Sketch) => faults(layoutRules, { problem: free, sketch: sketchOf(sketch) })
    expect(saidOf(mix(15.5, 16.5))).toEqual([])
    expect(saidOf({ mesh: { data: 8 }, microbatches: 9 })).toEqual([])
  })
})

describe('a written layout of inference', () => {
  it('has components of the model, in layouts that they have', () => {
    const offered = { attention: ['1d/heads', '1d/batch'], mlp: ['1d'] }
    const said = (name: string, layout: string) =>
      faults(componentRules, { mesh: unitMesh, name, layout, offered })
    expect(said('attention', '1d/batch')).toEqual([])
    expect(said('mlp', '1d/batch')).toEqual(['there is no layout 1d/batch for mlp; choose one of 1d'])
    expect(said('router', '1d')).toEqual(['is no component of this model, which has attention, mlp'])
  })

  it.each([
    ['copied/heads-batch', { tensor: 4, tensor2: 2 }, { tensor: 8 }],
    ['copied/heads-batch/absorbed', { tensor2: 8 }, { tensor: 8 }],
    ['copied-all/batch', { tensor: 8 }, null],
    ['1d/heads-batch', { tensor: 8 }, null],
    ['copied', { tensor: 8 }, null],
  ])('may be %s on %j, and not on %j: copies are for several groups of sequences', (layout, several, one) => {
    const readOn = (mesh: Partial<Mesh>) => ({
      ...{ mesh: { ...unitMesh, ...mesh }, name: 'attention', layout, offered: { attention: [layout] } },
    })
    expect(faults(componentRules, readOn(several))).toEqual([])
    if (one) expectAnEdge(componentRules, readOn(several), readOn(one), 'this mesh has one such group')
  })

  const ways = [
    { units: 1, tokens: 8 },
    { units: 4, tokens: 2 },
    { units: 4, tokens: 3 },
  ]
  const open: PassRead = {
    ...{ prompts: 8, batchSequences: undefined, microbatches: undefined, microbatchTokens: undefined, ways },
  }
  it.each<readonly [Partial<PassRead>, Partial<PassRead>, string]>([
    [{ batchSequences: 8 }, { batchSequences: 9 }, 'the workload has 8 prompts, not 9'],
    [{ batchSequences: 9, prompts: null }, { batchSequences: 7 }, '8 prompts, not 7'],
    [{ microbatches: 4 }, { microbatches: 3 }, 'allow microbatches of 1, 4'],
    [{ microbatches: 3, ways: [] }, { microbatches: 2 }, 'allow microbatches of 1, 4'],
    [
      { microbatches: 4, microbatchTokens: 3 },
      { microbatches: 4, microbatchTokens: 8 },
      'can have 2, 3 tokens here',
    ],
    [{ microbatchTokens: 8 }, { microbatchTokens: 5 }, 'can have 2, 3, 8 tokens here'],
  ])('may pass %j, and not %j: %s', (inside, outside, said) => {
    expectAnEdge(passRules, { ...open, ...inside }, { ...open, ...outside }, said)
  })
})

describe('a written placement', () => {
  const parts = (size: number) => [{ physical: 0, size, stride: 1 }]
  const onIci = { axis: 'fsdp', on: 'ici', physical: [0, 1], wraps: true, parts: parts(4) } as const
  const onDcn = { axis: 'fsdp', on: 'dcn', physical: [], wraps: false } as const
  const left: readonly Lines[] = [
    [onIci, onDcn],
    [{ ...onIci, physical: [0], wraps: false, parts: parts(8) }, onDcn],
  ]
  const { network } = problem({
    ...{ chip: 'tpu-v5e', topology: [4, 4], slices: 2, model: 'llama-3-8b' },
    ...{ batchTokens: 4096, sequenceLength: 4096 },
  }).cluster
  const entry = (more: Omit<Partial<AxisPlacementSketch>, 'axis'>): AxisPlacementSketch => ({
    ...{ axis: 'fsdp', physical: [1, 0] },
    ...more,
  })
  // A field is at fault if no placement has it together with those before it, and one has them.
  it.each<readonly [AxisPlacementSketch, AxisPlacementSketch, string]>([
    [entry({ on: 'ici' }), entry({ on: 'node' }), 'on'],
    [entry({ physical: [0] }), entry({ physical: [1] }), 'physical'],
    [entry({ on: 'dcn', physical: [] }), entry({ physical: [] }), 'physical'],
    [entry({ parts: parts(4) }), entry({ parts: parts(8) }), 'parts'],
    [entry({ parts: parts(4) }), entry({ parts: [...parts(4), ...parts(4)] }), 'parts'],
    [entry({ wraps: true }), entry({ wraps: false }), 'wraps'],
    [entry({ physical: [0], parts: parts(8), wraps: false }), entry({ wraps: false }), 'wraps'],
    // An axis of one chip lies nowhere.
    [{ axis: 'tensor', physical: [] }, { axis: 'tensor', physical: [0] }, 'physical'],
    [{ axis: 'tensor', physical: [] }, { axis: 'tensor', on: 'ici', physical: [] }, 'on'],
  ])('may say %j, and not %j: %s', (inside, outside, field) => {
    const first = (one: AxisPlacementSketch) => {
      const rule = entryRules.find(({ broken }) => broken({ index: 0, entry: one, left, network }))
      return typeof rule?.pointer === 'function'
        ? rule.pointer({ index: 0, entry: one, left, network })
        : undefined
    }
    expect(first(inside)).toBeUndefined()
    expect(first(outside)).toBe(`/plan/placement/0/${field}`)
  })

  it('gives every network that an axis is on exactly once, or the torus alone without naming it', () => {
    const broken = (...wanted: readonly AxisPlacementSketch[]) => wholeRule.broken({ wanted, left })
    expect(broken(entry({ on: 'ici' }), entry({ on: 'dcn', physical: [] }))).toBe(false)
    expect(broken(entry({}))).toBe(false)
    expect(broken()).toBe(false)
    expect(broken(entry({ on: 'ici' }))).toBe(true)
    expect(broken(entry({}), entry({}), entry({}))).toBe(true)
    // One placement that it covers is enough.
    expect(wholeRule.broken({ wanted: [entry({ on: 'ici' })], left: [[onIci], ...left] })).toBe(false)
  })

  it('says which networks there are, and which numbers tiers have', () => {
    const gpus = problem({ ...one, model: 'llama-3-8b' }).cluster.network
    const nowhere = entry({ on: 'nowhere', physical: [9], parts: parts(9) })
    const told = (on: typeof network) =>
      entryRules.map(({ says }) =>
        typeof says === 'string' ? says : says({ index: 0, entry: nowhere, left, network: on }),
      )
    if (network.kind !== 'torus') throw new RangeError('TPUs lie on a torus')
    expect(told(network)[0]).toMatch(/fsdp on nowhere; the networks are ici,dcn$/)
    expect(told({ ...network, slices: 1 })[0]).toMatch(/the networks are ici$/)
    expect(told(network)[1]).toContain('these physical axes')
    expect(told(network)[2]).toContain('these parts for fsdp')
    expect(told(gpus)[0]).toMatch(/the networks are nvlink,/)
    expect(told(gpus)[1]).toContain('0 is nvlink')
    expect(told(gpus)[2]).toBe('parts exist only on a torus')
  })
})
