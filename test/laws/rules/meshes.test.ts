/** Rules of meshes, of a model and of chips and networks, each broken by a random mesh and mended as it says. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { infer } from '../../../src/infer.ts'
import { optimize } from '../../../src/optimize.ts'
import { meshFaults } from '../../../src/rules/mesh-faults.ts'
import type { MeshQuestion, MeshRead } from '../../../src/rules/mesh-question.ts'
import { meshAfter } from '../../../src/rules/mesh-ways.ts'
import { servedMeshRules, trainedMeshRules } from '../../../src/rules/model.ts'
import { allChips, type ChipsRead, placeable } from '../../../src/rules/network.ts'
import { wayText } from '../../../src/rules/part-rule.ts'
import { trainedQuestion } from '../../../src/search/meshes/meshes.ts'
import { type Mesh, meshSize, replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { expectEachToBeMended, expectEachToBreak, meshes, models, often } from './broken.ts'

const questions: fc.Arbitrary<MeshQuestion> = fc
  .record({
    name: fc.constantFrom(...models),
    chips: fc.constantFrom(8, 12, 512),
    positions: fc.constantFrom(1, 2, 4096),
    sequences: fc.constantFrom(null, 1, 7, 8, 4096),
    freeTokens: often<number | null>(null, 1, 8),
    padsHeads: fc.boolean(),
    hosts: often<MeshQuestion['hosts']>(null, { each: 3, count: 12 }, { each: 4, count: 3 }),
    layers: fc.constantFrom(2, 6, 80),
    heads: fc.constantFrom(6, 10, 64),
    experts: fc.constantFrom(3, 8, 64),
  })
  .map(({ name, layers, heads, experts: count, ...question }) => {
    const { model } = problem({
      model: name,
      chip: 'h100-sxm',
      chips: 8,
      batchTokens: 4096,
      sequenceLength: 4096,
    })
    const experts = model.experts && { ...model.experts, experts: count }
    return { ...question, model: { ...model, layers, heads, kvHeads: heads / 2, experts } }
  })

describe.each([
  ['training', trainedMeshRules],
  ['inference', servedMeshRules],
])('a rule of what a model forbids of meshes in %s', (_mode, rules) => {
  const drawn = fc.record({ mesh: meshes, question: questions })

  it('can be broken, says so, and knows what would be legal', () => {
    expectEachToBeMended<MeshRead>(drawn, rules, ({ mesh, question }, way) => {
      const after = meshAfter(mesh, way)
      expect([meshSize(mesh), question.chips]).toContain(meshSize(after))
      return { mesh: after, question }
    })
  })

  law('reads nothing but what it says it reads', 300, [drawn, meshes], ({ mesh, question }, other) => {
    for (const { reads, broken } of rules) {
      // As many replicas, all of them on one of their axes, and the axes that it reads by themselves as they are.
      const replicas = { data: replicasOf(mesh), fsdp: 1, expert: 1 }
      const sizes = reads.map((part) => (part === 'replicas' ? replicas : { [part]: mesh[part] }))
      const read: Partial<Mesh> = Object.assign({}, ...sizes)
      expect(broken({ mesh: { ...other, ...read }, question })).toBe(broken({ mesh, question }))
    }
  })
})

describe('a size that does not divide', () => {
  const question = (chips: number) => {
    const asked = {
      model: 'llama-3-70b',
      chip: 'h100-sxm',
      chips,
      batchTokens: 2 ** 22,
      sequenceLength: 4096,
    }
    return trainedQuestion(problem(asked))
  }
  const waysOf = (mesh: Partial<Mesh>, chips: number) => {
    const [fault] = meshFaults(trainedMeshRules, { ...unitMesh, ...mesh }, question(chips))
    return fault?.nearest?.map(wayText)
  }

  it('is mended by the nearest one, on all chips rather than on those that the mesh has', () => {
    expect(waysOf({ tensor: 7, data: 73 }, 512)).toEqual(['tensor 8, data 64', 'tensor 4, data 128'])
    expect(waysOf({ tensor: 3, data: 170 }, 512)?.[0]).toBe('tensor 4, data 128')
  })

  it('is mended on the chips of the mesh where its other axes do not divide all of them', () => {
    expect(waysOf({ tensor: 6, pipeline: 7, data: 12 }, 512)).toEqual([
      'tensor 8, data 9',
      'tensor 4, data 18',
    ])
  })
})

describe('an axis that is pinned to a size that no mesh may have', () => {
  it('is told in the answer, with sizes that have plans', () => {
    const asked = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 48, batchTokens: 196_608, sequenceLength: 4096 },
      constraints: { tensor: 6 },
      assumptions: { basis: 'calibrated', frameworks: [] },
    })
    const { infeasible } = optimize(asked, solver)
    expect(infeasible?.reasons[0]).toMatchObject({
      reason: 'divisibility',
      detail: expect.stringContaining('/constraints/tensor: tensor x tensor2 = 6 does not divide 32 heads'),
    })
    const own = infeasible?.suggestions.filter(
      ({ pointer, value }) => pointer === '/constraints/tensor' && value,
    )
    expect(own?.map(({ value }) => value)).toEqual([8, 4])
    expect(optimize({ ...asked, constraints: { tensor: 8 } }, solver).plans).not.toEqual([])
    // Of chips that it does not divide either.
    const odd = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 131_072, sequenceLength: 4096 },
      constraints: { tensor: 3 },
    })
    const others = optimize(odd, solver).infeasible?.suggestions.filter(
      ({ value }) => typeof value === 'number',
    )
    expect(others?.map(({ value }) => value)).toEqual([4, 2])
  })

  it.each([
    [{ expert: 8 }, '/constraints/expert: a dense model has no experts to shard'],
    [{ fsdp: 4 }, '/constraints/fsdp: inference has no optimizer states to shard'],
  ])('is the first reason of inference too: %j', (constraints, detail) => {
    const asked = inferenceProblem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, constraints, workload: generation(16, 2048) },
      assumptions: { basis: 'calibrated' },
    })
    expect(infer(asked, solver).infeasible?.reasons[0]?.detail).toContain(detail)
  })

  it('is told of inference with sizes that have plans, as of training', () => {
    const asked = inferenceProblem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 24, workload: generation(24, 2048) },
      ...{ constraints: { tensor: 6 }, assumptions: { basis: 'calibrated' } },
    })
    const { infeasible } = infer(asked, solver)
    expect(infeasible?.reasons[0]?.detail).toContain('/constraints/tensor')
    const own = infeasible?.suggestions.filter(({ pointer }) => pointer === '/constraints/tensor') ?? []
    expect(own.map(({ value }) => value)).toEqual([8, 4, null])
    for (const { value } of own) {
      const constraints = value === null ? {} : { tensor: Number(value) }
      expect(infer({ ...asked, constraints }, solver).plans).not.toEqual([])
    }
  })
})

describe('a rule of what chips and networks forbid of a mesh', () => {
  it('can be broken, says so, and knows what would be legal', () => {
    const hosts = [{ axis: 'data', framework: 'Megatron-LM' }] as const
    const drawn = fc.record({ mesh: meshes, chips: fc.constantFrom(32, 96, 7), hosts: fc.constant(hosts) })
    expectEachToBeMended<ChipsRead>(drawn, [allChips], (read, way) => {
      return { ...read, mesh: meshAfter(read.mesh, way) }
    })
    const { network } = problem({
      ...{ chip: 'tpu-v5e', topology: [4, 4], model: 'llama-3-8b', batchTokens: 4096, sequenceLength: 4096 },
    }).cluster
    expectEachToBreak(fc.record({ network: fc.constant(network), places: fc.constantFrom(0, 1) }), () => [
      [[placeable], true],
    ])
  })
})
