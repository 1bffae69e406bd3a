/**
 * Rules about models, networks and frameworks: each can be broken, and gives a reason; the values that it calls legal
 * do not break it; plans that break none are run.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Problem } from '../../../src/problem.ts'
import { type ElementType, elements } from '../../../src/recipe/element-types.ts'
import { type PartRule, type Way, wayText } from '../../../src/rules/part-rule.ts'
import { faults, keeps, type Rule } from '../../../src/rules/rule.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'

export const models = [
  ...[
    'llama-3-8b',
    'gpt-3-125m',
    'deepseek-v3',
    'deepseek-v3.2',
    'mixtral-8x7b',
    'gemma-2-27b',
    'gpt-oss-120b',
    'palm-540b',
  ],
  ...['qwen3-8b', 'llama-4-maverick', 'qwen3-30b-a3b', 'qwen3-next-80b-a3b', 'kimi-linear-48b-a3b'],
  ...['nemotron-3-nano-30b-a3b', 'nemotron-3-super-120b-a12b', 'deepseek-v4-flash'],
]
export const machines = [
  { chip: 'h100-sxm', chips: 32 },
  { chip: 'mi300x', chips: 32 },
  { chip: 'l40s', chips: 32 },
  { chip: 'gb200-nvl72', chips: 144 },
  { chip: 'tpu-v5p', topology: [2, 4, 4] },
  { chip: 'tpu-v5e', topology: [4, 4], slices: 2 },
  { chip: 'tpu-7x', topology: [2, 4, 4] },
]
export const types = fc.constantFrom<ElementType>(
  'bf16',
  'bf16',
  'bf16',
  'fp32',
  ...elements.map(({ name }) => name),
)
export const often = <Value>(usual: Value, ...others: readonly Value[]) =>
  fc.constantFrom(usual, usual, usual, ...others)

/** A model of the catalogue, some of them made odd, on a machine. */
export const settings: fc.Arbitrary<Problem> = fc
  .record({
    model: fc.constantFrom(...models),
    machine: fc.constantFrom(...machines),
    sequenceLength: often(4096, 1000, 2048),
    batch: often(64, 48, 7),
    odd: often<Partial<Problem['model']>>({}, { parallelBlocks: true }, { learnedPositions: 512 }),
    attention: often<Partial<Problem['model']['attention']>>(
      {},
      { kvShareGroup: 2 },
      { window: 512, globalEvery: 4 },
      { outputGate: true },
    ),
    convolution: often(4, 2),
    // A GPU of one's own may have a torus.
    kind: often<'own' | 'gpu'>('own', 'gpu'),
    optimizer: often('adamw', 'sgd', 'momentum', 'adafactor', 'muon' as const),
    precision: fc.record({
      weights: types,
      compute: fc.oneof(types, fc.constant<ElementType>('fp8')),
      kvCache: types,
      gradients: types,
      optimizer: types,
    }),
    lossChunks: often(1, 3),
    idleBeside: often(0, 4),
    optimizerOnHost: often(false, true),
    masterWeights: often(true, false),
    masterRemainders: often(false, true),
  })
  .map(
    ({
      model,
      machine,
      sequenceLength,
      batch,
      odd,
      attention,
      convolution,
      kind,
      idleBeside,
      optimizer,
      precision,
      ...assumptions
    }) => {
      const made = problem({
        ...machine,
        model,
        sequenceLength,
        batchTokens: batch * sequenceLength,
        optimizer: optimizer as 'adamw',
        precision: { ...precision, kvCache: precision.kvCache },
        assumptions: { basis: 'calibrated', lossChunks: assumptions.lossChunks },
      })
      const { chip } = made.cluster
      const { recurrence } = made.model
      return {
        ...made,
        model: {
          ...made.model,
          ...odd,
          attention: { ...made.model.attention, ...attention },
          ...(recurrence ? { recurrence: { ...recurrence, convolution } } : {}),
        },
        cluster: { ...made.cluster, idleBeside, chip: kind === 'own' ? chip : { ...chip, kind } },
        assumptions: { ...made.assumptions, ...assumptions },
      }
    },
  )

export const sizes = fc.constantFrom(1, 1, 1, 2, 4, 8, 3)

/** 32 chips, as what is left over is data. */
export const meshes: fc.Arbitrary<Mesh> = fc
  .record({
    fsdp: sizes,
    tensor: sizes,
    tensor2: often(1, 2),
    context: sizes,
    expert: sizes,
    pipeline: sizes,
  })
  .map((axes) => {
    const product = Object.values(axes).reduce((all, size) => all * size, 1)
    return { ...unitMesh, ...axes, data: 32 % product === 0 ? 32 / product : 1 }
  })

/** Draws until each rule is broken, and fails with what the others say where it never is. */
export function expectEachToBreak<Read>(
  drawn: fc.Arbitrary<Read>,
  tables: (read: Read) => readonly (readonly [readonly Rule<Read>[], boolean])[],
) {
  const whole = new Set<Rule<Read>>()
  const broken = new Set<Rule<Read>>()
  forAll(3000, [drawn], (read) => {
    for (const [rules, of] of tables(read)) {
      for (const rule of rules) {
        whole.add(rule)
        if (!of || !rule.broken(read)) continue
        broken.add(rule)
        const [said] = faults([rule], read)
        expect(said).toMatch(/\w{3}/)
        expect(said).not.toMatch(/undefined|null|NaN|\[object/)
      }
      expect(keeps(rules, read)).toBe(faults(rules, read).length === 0)
    }
  })
  const never = [...whole].filter((rule) => !broken.has(rule)).map(({ says }) => `${says}`)
  expect(never).toEqual([])
}

/** Draws until each rule is broken, and holds that each way out of it leads out. */
export function expectEachToBeMended<Read>(
  drawn: fc.Arbitrary<Read>,
  rules: readonly PartRule<Read>[],
  after: (read: Read, way: Way) => Read,
) {
  expectEachToBreak(drawn, () => [[rules, true]])
  const mended = new Set<PartRule<Read>>()
  forAll(1500, [drawn], (read) => {
    for (const rule of rules.filter(({ broken }) => broken(read))) {
      const pointer = typeof rule.pointer === 'string' ? rule.pointer : rule.pointer(read)
      expect(pointer).toMatch(/^\/plan\/\w/)
      for (const way of rule.nearest?.(read) ?? []) {
        mended.add(rule)
        expect(rule.broken(after(read, way)), `${pointer}: ${wayText(way)}`).toBe(false)
        expect(wayText(way)).not.toMatch(/undefined|NaN/)
      }
    }
  })
  expect(rules.filter(({ nearest }) => nearest).every((rule) => mended.has(rule))).toBe(true)
}

/** No rule is broken inside, and outside one, which says so. */
export function expectAnEdge<Read>(rules: readonly Rule<Read>[], inside: Read, outside: Read, said: string) {
  expect(faults(rules, inside)).toEqual([])
  const found = faults(rules, outside)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(said)
}
