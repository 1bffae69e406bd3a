/**
 * A plan of a pipeline takes the memory of the fullest stage that an even cut may make: counted layer by layer, over all such cuts, of models of which
 * layers differ.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { only } from '../../../src/inference/layout/compiled-layout.ts'
import { setShape, setShards } from '../../../src/inference/layout/local-sizes.ts'
import { sumOf } from '../../../src/inference/layout/local-term.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { memoryRoom, rowBytes } from '../../../src/inference/pass/pass-numbers.ts'
import { settled } from '../../../src/inference/pass/settled.ts'
import { candidateOf, sitesOf } from '../../../src/inference/sites.ts'
import { createWorkbench } from '../../../src/inference/workbench.ts'
import { blockLetters } from '../../../src/model/layer-pattern.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { inferenceMemory } from '../../../src/plan/inference/accounts.ts'
import { replicasOf } from '../../../src/sharding/axis.ts'
import { phaseProblems } from '../../agree/inference/phase-problems.ts'
import { runs } from '../../runs.ts'

/** Sums of the same numbers in another order. */
const rounding = 1e-9

/** The components that a layer has. */
function componentsOf(
  { layerPattern, parallelBlocks, experts }: Transformer,
  layer: number,
): readonly string[] {
  if (layerPattern !== undefined) {
    const { dense, sparse } = blockLetters
    const letter = layerPattern[layer]
    return [letter === dense ? 'mlp' : letter === sparse ? 'experts' : 'attention']
  }
  const behind = experts ? layer - experts.denseLayers + 1 : 0
  const chooses = experts !== null && behind > 0 && behind % experts.every === 0
  if (chooses) return ['attention', 'experts']
  return parallelBlocks ? ['block'] : ['attention', 'mlp']
}

/** The numbers of layers of all cuts whose stages differ by one layer at most. */
function* cuts(layers: number, stages: number): Generator<readonly number[]> {
  if (stages === 0) {
    if (layers === 0) yield []
    return
  }
  for (const own of new Set([Math.floor(layers / stages), Math.ceil(layers / stages)])) {
    for (const rest of cuts(layers - own, stages - 1)) yield [own, ...rest]
  }
}

/** The most that the layers of a stage take together, each of its components so much. */
function fullest(model: Transformer, stages: number, bytesOf: (component: string) => number): number {
  let most = 0
  for (const cut of cuts(model.layers, stages)) {
    let layer = 0
    for (const count of cut) {
      let bytes = 0
      for (const end = layer + count; layer < end; layer++) {
        for (const component of componentsOf(model, layer)) bytes += bytesOf(component)
      }
      most = Math.max(most, bytes)
    }
  }
  return most
}

it('is that of the fullest stage, layer by layer, of any cut', () => {
  const seen = { stages: 0, mixed: 0, patterned: 0 }
  fc.assert(
    fc.property(phaseProblems, fc.infiniteStream(fc.nat()), (drawn, picks) => {
      const one = <Of>(all: readonly Of[]) =>
        all.slice(picks.next().value % Math.max(1, all.length)).slice(0, 1)
      const { workload } = drawn
      const asked = {
        ...drawn,
        memoryBudget: 1e15,
        constraints: picks.next().value % 3 ? { pipeline: { min: 2 } } : {},
      }
      const problem =
        workload.batchSequences === 'max'
          ? { ...asked, workload: { ...workload, batchSequences: 24 } }
          : asked
      const compiled = inferenceModel(problem)
      const bench = createWorkbench(compiled)
      const { sizes, setting, components } = bench
      const { meshes, offers, passes, score } = phaseOf(compiled, problem)
      for (const mesh of one(meshes.allowed.filter(({ pipeline }) => pipeline <= 8))) {
        const offered = one(offers(mesh)).flatMap((options) => options.map(one))
        for (const site of one(sitesOf(compiled, mesh, {}, [offered]))) {
          for (const pass of one(passes(site))) {
            const candidate = candidateOf(bench, site, pass, score)
            if (!candidate) continue
            setShards(sizes, mesh)
            const alone = pass.longest && { ...pass.longest.kept, sequences: replicasOf(mesh) }
            const kept = new Map(
              candidate.layouts.map(({ stored, cached }, at) => {
                const keeping = (shape: typeof pass.resident) => {
                  setShape(sizes, shape)
                  return sumOf(cached, sizes)
                }
                // All that are resident, or the longest alone.
                const caches = Math.max(keeping(pass.resident), alone ? keeping(alone) : 0)
                return [components[at]?.name ?? '', sumOf(stored, sizes) + caches]
              }),
            )
            setShape(sizes, pass.resident)
            const layers = fullest(setting.model, mesh.pipeline, (component) => kept.get(component) ?? 0)
            const { bytes, workspace } = settled(bench, site).memory(pass)
            const told = inferenceMemory(compiled, candidate)
            const head = kept.get('unembedding') ?? 0
            const rows = candidate.layouts.slice(0, 1).reduce((_, own) => rowBytes(bench, mesh, own), 0)
            expect((layers + head + rows) / bytes).toBeCloseTo(1, 9)
            expect(candidate.answer.bytes / (bytes + workspace)).toBeCloseTo(1, 9)
            expect((told.parameters + told.kvCache) / bytes).toBeCloseTo(1, 9)
            expect(Math.abs(told.workspace - workspace)).toBeLessThanOrEqual(rounding * bytes)
            expect(memoryRoom(bench, mesh, only(candidate.layouts))(pass) / told.total).toBeCloseTo(1, 9)
            if (mesh.pipeline === 1) continue
            seen.stages++
            if (components.some(({ name }) => name === 'experts') && components.length > 3) seen.mixed++
            if (setting.model.layerPattern !== undefined) seen.patterned++
          }
        }
      }
    }),
    { numRuns: runs(200) },
  )
  expect(seen.stages).toBeGreaterThan(40)
  expect(seen.mixed).toBeGreaterThan(5)
  expect(seen.patterned).toBeGreaterThan(5)
})
