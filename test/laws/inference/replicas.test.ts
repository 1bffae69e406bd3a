/** Replicas share out sequences and nothing else: a pass of one of several costs what it costs alone, of as many sequences. */
import { describe, expect, it } from 'vitest'
import { offeredLayouts } from '../../../src/inference/layout/layout-question.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { generationPass, prefillPass } from '../../../src/inference/pass/pass.ts'
import { shapeSeconds, shapeWorkspace } from '../../../src/inference/pass/shape-numbers.ts'
import { createWorkbench } from '../../../src/inference/workbench.ts'
import type { GenerateProblem, PrefillProblem } from '../../../src/problem.ts'
import { axisBit, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts } from '../../inference-problem.ts'

const named = ['llama-3-70b', 'deepseek-v3', 'qwen3-next-80b-a3b', 'deepseek-v4-flash', 'gpt-oss-120b']

const inner: readonly Partial<Mesh>[] = [
  { tensor: 4 },
  { tensor: 2, tensor2: 2 },
  { expert: 4 },
  { context: 2, tensor: 2 },
]

describe.each(named)('%s', (model) => {
  const asked = { model, chip: 'h200-sxm', chips: 64 }
  const generating = inferenceProblem({ ...asked, workload: generation(96, 8192) }) as GenerateProblem
  const reading = inferenceProblem({ ...asked, workload: prompts(96, 4096) }) as PrefillProblem

  it('has sequences alone sharded over them', () => {
    const { components, embeddings } = inferenceModel(generating)
    const layouts = [...components.flatMap((component) => component.layouts), ...Object.values(embeddings)]
    const sums = layouts.flatMap(({ products, collectives, stored, cached, live, elementwise }) => [
      ...products.flatMap(({ flops, weights, caches, activations }) => [flops, weights, caches, activations]),
      ...collectives.map(({ moved }) => moved),
      ...[stored, cached, ...live, elementwise],
    ])
    const factors = sums.flatMap(({ terms }) => terms.flatMap((term) => term.factors))
    const shared = factors.filter(({ over }) => (over & axisBit.data) !== 0)
    expect(shared.length).toBeGreaterThan(0)
    expect(new Set(shared.map(({ extent }) => extent))).toEqual(new Set([0]))
  })

  it.each(inner)('takes as long, and works with as many bytes, in one of them as alone: %o', (axes) => {
    for (const copies of [2, 3, 16]) {
      for (const each of [1, 5, 6]) {
        const { model: transformer } = generating
        for (const [problem, passOf] of [
          [generating, (all: number) => generationPass(transformer, generating.workload, all, 1)],
          [
            reading,
            (all: number) => prefillPass(transformer, { ...reading.workload, batchSequences: all }, 1, 1),
          ],
        ] as const) {
          const numbers = (data: number) => {
            const bench = createWorkbench(inferenceModel(problem))
            const mesh = { ...unitMesh, ...axes, data }
            const layouts = offeredLayouts(bench, { ...mesh, data: 2 })
            const pass = passOf(each * data)
            return [shapeSeconds(bench, mesh, pass, layouts), shapeWorkspace(bench, mesh, pass, layouts)]
          }
          expect(numbers(copies)).toEqual(numbers(1))
        }
      }
    }
  })
})
