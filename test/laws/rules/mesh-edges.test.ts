/** The edge of each rule of meshes: one just inside of it breaks none, and the next one breaks that rule alone. Worked out by hand. */
import { describe, expect, it } from 'vitest'
import { placements } from '../../../src/hardware/network/placement.ts'
import { meshFaults } from '../../../src/rules/mesh-faults.ts'
import type { MeshQuestion, MeshRead } from '../../../src/rules/mesh-question.ts'
import { servedMeshRules, trainedMeshRules } from '../../../src/rules/model.ts'
import { allChips, placeable } from '../../../src/rules/network.ts'
import { wayText } from '../../../src/rules/part-rule.ts'
import { faults, type Rule } from '../../../src/rules/rule.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'
import { expectAnEdge } from './broken.ts'

const one = { chip: 'h100-sxm', chips: 32, batchTokens: 2 ** 18, sequenceLength: 4096 }
const { model: dense } = problem({ ...one, model: 'llama-3-8b' })
const { model: sparse } = problem({ ...one, model: 'mixtral-8x7b' })
const { recurrence } = problem({ ...one, model: 'qwen3-next-80b-a3b' }).model
const latent = {
  ...dense.attention,
  latent: problem({ ...one, model: 'deepseek-v3' }).model.attention.latent,
}

/** 32 heads, eight key-value heads, 32 layers. */
const asked: MeshQuestion = {
  ...{ model: dense, chips: 4096, positions: 4096, sequences: 64, freeTokens: null, padsHeads: false },
  hosts: null,
}
const withExperts: MeshQuestion = { ...asked, model: sparse }
/** A head count that is no power of two, of which keys are not the one that it has most factors in common with. */
const odd: MeshQuestion = { ...asked, model: { ...dense, heads: 48, kvHeads: 12 } }
/** Some layers have a recurrence of 16 heads of keys. */
const recurrent: MeshQuestion = {
  ...asked,
  model: { ...dense, ...(recurrence ? { recurrence } : {}) },
}
/** Pooled positions, and 8 groups of heads. */
const pooled: MeshQuestion = { ...asked, model: problem({ ...one, model: 'deepseek-v4-flash' }).model }
const padded: MeshQuestion = { ...asked, padsHeads: true, model: { ...dense, heads: 40, kvHeads: 8 } }
const onRack: MeshQuestion = { ...asked, hosts: { each: 4, count: 18 } }

type MeshEdge = [inside: Partial<Mesh>, outside: Partial<Mesh>, said: string, question?: MeshQuestion]

const inAllModes: readonly MeshEdge[] = [
  [{ tensor: 32 }, { tensor: 64 }, 'does not divide 32 heads'],
  [{ tensor: 8, tensor2: 4 }, { tensor: 8, tensor2: 8 }, 'does not divide 32 heads'],
  [{ tensor: 24 }, { tensor: 16 }, 'tensor2 = 16', odd],
  [{ tensor: 12 }, { tensor: 4, tensor2: 4 }, 'tensor2 = 16', odd],
  [{ tensor: 16 }, { tensor: 32 }, 'the 16 heads of keys', recurrent],
  [{ tensor: 4, context: 4 }, { tensor: 4, context: 8 }, 'the 16 heads of keys', recurrent],
  [{ context: 1 }, { context: 2 }, 'of pooled positions', pooled],
  [{ expert: 1 }, { expert: 2 }, 'no experts to shard'],
  [{ pipeline: 32 }, { pipeline: 33 }, 'more than the 32 layers'],
]

const ofTraining: readonly MeshEdge[] = [
  [{ tensor: 6 }, { tensor: 8 }, 'neither divided nor replicated', odd],
  [{ tensor: 8 }, { tensor: 16 }, 'the 8 groups of heads', pooled],
  [{ expert: 8 }, { expert: 16 }, 'expert 16 does not divide the 8 experts', withExperts],
  [{ expert: 4 }, { expert: 3 }, 'expert 3 does not divide the 8 experts', withExperts],
  [{ context: 16 }, { context: 17 }, 'the 16 positions', { ...asked, positions: 16 }],
  [{ data: 8, fsdp: 8 }, { data: 13, fsdp: 5 }, 'data x fsdp = 65 is more than the 64 sequences'],
  [{ data: 8, expert: 8 }, { data: 9, expert: 8 }, 'expert = 72 is more than the 64 sequences', withExperts],
  [{ data: 4, context: 256 }, { data: 5, context: 205 }, '1025 is more', { ...asked, freeTokens: 1024 }],
]

const ofInference: readonly MeshEdge[] = [
  [{ fsdp: 1 }, { fsdp: 2 }, 'no optimizer states'],
  [{ expert: 15 }, { expert: 16 }, 'every one of the 8 experts at least twice', withExperts],
  [{ tensor: 64 }, { tensor: 65 }, 'more than 40 heads padded', padded],
  [{ tensor: 48 }, { tensor: 33, tensor2: 2 }, 'more than 40 heads padded', padded],
  // Chips may hold unequal numbers of the twelve.
  [{ tensor: 8 }, { tensor: 16 }, 'cannot be replicated', odd],
  [{ context: 16 }, { context: 17 }, 'the 16 new positions', { ...asked, positions: 16 }],
  [{ data: 64 }, { data: 65 }, '65 replicas are more than the 64 sequences'],
  [{ data: 8, expert: 8 }, { data: 9, expert: 8 }, '72 replicas', withExperts],
  [{ data: 18, context: 4 }, { data: 24, context: 3 }, '24 hosts of 4 chips, and there are 18', onRack],
]

describe.each([
  ['training', trainedMeshRules, [...inAllModes, ...ofTraining]],
  ['inference', servedMeshRules, [...inAllModes, ...ofInference]],
] as const)('a mesh of %s', (_mode, rules, edges) => {
  it.each(edges)('may be %j, and not %j: %s', (inside, outside, said, question = asked) => {
    expectAnEdge<MeshRead>(
      rules,
      { mesh: { ...unitMesh, ...inside }, question },
      { mesh: { ...unitMesh, ...outside }, question },
      said,
    )
  })

  it('breaks every rule at some edge', () => {
    const broken = edges.flatMap(([, outside, , question = asked]) =>
      rules.filter((rule) => rule.broken({ mesh: { ...unitMesh, ...outside }, question })),
    )
    expect(new Set(broken)).toEqual(new Set(rules))
  })
})

describe('a mesh', () => {
  const saidOf = (rules: readonly Rule<MeshRead>[], mesh: Partial<Mesh>, question: MeshQuestion) =>
    faults(rules, { mesh: { ...unitMesh, ...mesh }, question })

  it('is not held to sequences where tokens divide freely, or memory sets their number', () => {
    expect(saidOf(trainedMeshRules, { data: 128 }, { ...asked, freeTokens: 2 ** 18 })).toEqual([])
    expect(saidOf(servedMeshRules, { data: 128 }, { ...asked, sequences: null })).toEqual([])
  })

  it('is not held to key-value heads where latent attention has none, or heads are padded', () => {
    const { model } = odd
    expect(
      saidOf(servedMeshRules, { tensor: 16 }, { ...odd, model: { ...model, attention: latent } }),
    ).toEqual([])
    expect(saidOf(servedMeshRules, { tensor: 16 }, { ...odd, padsHeads: true })).toEqual([])
  })

  it('uses the chips there are, neither more nor fewer', () => {
    const said = (data: number) =>
      faults([allChips], { mesh: { ...unitMesh, data, tensor: 3 }, chips: 24, hosts: [] })
    expect(said(8)).toEqual([])
    expect(said(9)[0]).toContain('the product of the axes is 27, but there are 24 chips: data 8')
    expect(said(7)[0]).toContain('the product of the axes is 21, but there are 24 chips: data 8')
  })
})

describe('a mesh of too many chips or too few', () => {
  const read = (mesh: Partial<Mesh>, chips: number) => ({
    mesh: { ...unitMesh, ...mesh },
    chips,
    // Experts are counted inside of the first axis that they divide.
    hosts: [
      { axis: 'tensor', framework: 'vLLM' },
      { axis: 'data', framework: 'Megatron-LM' },
    ] as const,
  })

  it('counted experts inside of another axis, where the product is right without them', () => {
    const inside = read({ data: 8, expert: 4, tensor: 2 }, 16)
    expect(faults([allChips], inside)[0]).toContain(
      'not a part of data as in Megatron-LM: data 8 with expert 4 inside is data 2 x expert 4',
    )
    expect(allChips.nearest?.(inside)).toEqual([[{ pointer: '/plan/mesh/data', value: 2 }]])
    // Nothing has room for eight experts, and 32 chips are not the product of the other axes.
    expect(faults([allChips], read({ data: 4, expert: 8, tensor: 2 }, 8))[0]).not.toContain('as in')
    expect(faults([allChips], read({ data: 8, expert: 4 }, 32))).toEqual([])
    expect(faults([allChips], read({ data: 8, expert: 4 }, 16))[0]).toContain('16 chips: data 4 would')
  })

  it('is mended by data, else by any one axis, else by two together', () => {
    const ways = (mesh: Partial<Mesh>, chips: number) => allChips.nearest?.(read(mesh, chips)).map(wayText)
    expect(ways({ data: 4, tensor: 2 }, 16)).toEqual(['data 8'])
    expect(ways({ tensor: 3, context: 2 }, 8)).toEqual(['tensor 4'])
    expect(ways({ tensor: 3, pipeline: 5 }, 8)?.[0]).toBe('tensor 2, pipeline 4')
  })

  it('of more replicas than sequences gives its larger replica axis as many as there are', () => {
    const ways = (rules: typeof trainedMeshRules, mesh: Partial<Mesh>) =>
      meshFaults(rules, { ...unitMesh, ...mesh }, { ...asked, chips: 128 }).flatMap(({ nearest = [] }) =>
        nearest.map(wayText),
      )
    expect(ways(trainedMeshRules, { data: 128 })).toEqual(['data 64, context 2'])
    expect(ways(trainedMeshRules, { data: 4, fsdp: 32 })).toEqual(['fsdp 16, context 2'])
    expect(ways(trainedMeshRules, { data: 16, fsdp: 16 })).toEqual(['data 4, context 4'])
    expect(ways(servedMeshRules, { data: 128 })).toEqual(['data 64, tensor 2'])
  })

  it('may not join the slices', () => {
    const { network } = problem({ ...one, model: 'llama-3-8b', chip: 'tpu-v5e', chips: 16 }).cluster
    const joined = { ...network, slices: 3 } as typeof network
    const faultsOf = (mesh: Partial<Mesh>) =>
      faults([placeable], { network: joined, places: placements(joined, { ...unitMesh, ...mesh }).length })
    expect(faultsOf({ data: 3, tensor: 16 })).toEqual([])
    expect(faultsOf({ data: 16, context: 3 })).toEqual([
      '3 slices are joined by data, fsdp and pipeline alone, whose sizes have no factors that multiply to 3',
    ])
  })
})
