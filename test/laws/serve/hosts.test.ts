/** Instances and replicas on a rack of trays: no plan takes more trays than there are, and a written one that does is told so. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { evaluateServe } from '../../../src/evaluate-serve.ts'
import { infer } from '../../../src/infer.ts'
import type { PhaseProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { type Mesh, meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { law, whole } from '../../law.ts'
import { smallDense } from '../../small-model.ts'

const tray = 4

/** Trays of so many servers of so many chips. */
function traysOf(servers: number, chips: number): number {
  return chips > tray ? servers * Math.ceil(chips / tray) : Math.ceil(servers / Math.floor(tray / chips))
}

function traysOfMesh(mesh: Mesh): number {
  return traysOf(mesh.data, meshSize(mesh) / mesh.data)
}

const chip = 'gb200-nvl72'

describe('a deployment on trays', () => {
  const workloads = fc.record({
    promptLength: fc.constantFrom(512, 3000),
    outputLength: fc.constantFrom(20, 200),
    maxTimeToFirstTokenSeconds: fc.constantFrom(0.02, 0.2),
    maxTimePerOutputTokenSeconds: fc.constantFrom(0.001, 0.004, 0.1),
  })

  law(
    'has instances of parts of a tray or of whole trays, and as many trays',
    8,
    [whole(4, 26), workloads],
    (chips, asked) => {
      const workload: ServeWorkload = { mode: 'serve', cachedPrefixLength: 0, disaggregated: true, ...asked }
      const { plans } = serve(inferenceProblem({ model: smallDense, chip, chips, top: 3, workload }), solver)
      for (const { prefill, generate } of plans) {
        const kinds = [prefill, generate].map(({ instances, mesh }) => [instances, meshSize(mesh)] as const)
        for (const [, size] of kinds) expect(tray % size === 0 || size % tray === 0).toBe(true)
        const trays = kinds.reduce((sum, [count, size]) => sum + traysOf(count, size), 0)
        // Servers of either phase may share one tray.
        expect(trays).toBeLessThanOrEqual(Math.ceil(chips / tray) + 1)
        expect(kinds.reduce((sum, [count, size]) => sum + count * size, 0)).toBeLessThanOrEqual(chips)
      }
    },
  )

  it('that somebody wrote is told how many trays it takes', () => {
    const workload: ServeWorkload = {
      ...{ mode: 'serve', cachedPrefixLength: 0, disaggregated: true, promptLength: 512, outputLength: 100 },
    }
    const problem = inferenceProblem({ model: smallDense, chip, chips: 24, workload })
    const faultsOf = (readers: number, size: number) => {
      const answer = evaluateServe(
        problem,
        {
          disaggregated: true,
          prefill: { mesh: { ...unitMesh, pipeline: size }, instances: readers },
          generate: { mesh: { ...unitMesh, tensor: 4 }, instances: 3 },
        },
        solver,
      )
      return 'illegal' in answer ? answer.illegal.map(({ detail }) => detail) : []
    }
    expect(faultsOf(4, 3)).toEqual([
      '4 instances to prefill and 3 to generate do not fit together into the pool of 24 chips: they take 7 hosts of 4 chips, and it has 6',
    ])
    expect(faultsOf(3, 3)).toEqual([])
    expect(faultsOf(6, 2)).toEqual([])
    expect(faultsOf(8, 3)).toEqual([
      '8 such instances do not fit into the pool of 24 chips: they take 8 hosts of 4 chips, and it has 6',
    ])
  })
})

describe('replicas on trays', () => {
  const phases = fc.constantFrom(generation(24, 2048), prompts(24, 1024))

  law('take no more of them than there are', 8, [whole(3, 40), phases], (chips, workload) => {
    const problem = inferenceProblem({ model: smallDense, chip, chips, top: 5, workload }) as PhaseProblem
    for (const { mesh } of infer(problem, solver).plans) {
      expect(traysOfMesh(mesh as Mesh)).toBeLessThanOrEqual(Math.ceil(chips / tray))
    }
  })

  it('that somebody wrote are told so, with the nearest that do', () => {
    const problem = inferenceProblem({ model: smallDense, chip, chips: 24, workload: generation(24, 2048) })
    const mesh = { ...unitMesh, data: 8, pipeline: 3 }
    const answer = evaluateInference(problem, { mesh, layout: {} }, solver)
    expect('illegal' in answer && answer.illegal.map(({ detail }) => detail)).toEqual([
      '8 replicas of 3 chips take 8 hosts of 4 chips, and there are 6',
    ])
    const onBoards = inferenceProblem({
      ...{ model: smallDense, chip: 'h100-sxm', chips: 24 },
      workload: generation(24, 2048),
    })
    expect('illegal' in evaluateInference(onBoards, { mesh, layout: {} }, solver)).toBe(false)
  })
})
