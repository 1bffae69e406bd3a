/**
 * On fewer chips, the search first tests a context axis by itself (src/search/meshes/hopeful-meshes.ts). That is valid
 * because a context axis that runs beside other axes also runs alone.
 */
import { describe, expect, it } from 'vitest'
import type { Framework } from '../../../src/launch/framework.ts'
import { launchable } from '../../../src/launch/training.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { contextLayoutFits } from '../../../src/sharding/tables/context-layout.ts'
import { problem } from '../../problem.ts'

const sizes = [1, 2, 3, 4, 8, 16]
const contexts = [2, 3, 4, 8, 16, 32]

/** Whether a framework runs the mesh under any layout of its context. */
function runnable(model: string, frameworks?: readonly Framework[]): (mesh: Mesh) => boolean {
  const asked = problem({
    ...{ model, chip: 'h100-sxm', chips: 1024, batchTokens: 2 ** 22, sequenceLength: 8192 },
    ...(frameworks ? { assumptions: { basis: 'calibrated', frameworks } } : {}),
  })
  const spaces = contextModels(asked).map((own) => ({ own, accepts: launchable(own) }))
  return (mesh) =>
    spaces.some(
      ({ own: { contextLayout, problem: posed }, accepts }) =>
        (mesh.context === 1 || contextLayoutFits(contextLayout, mesh, posed.model)) &&
        (accepts === null || accepts.mesh(mesh)),
    )
}

let ranAtAll = 0

describe.each(['llama-3-8b', 'gpt-3-175b', 'mixtral-8x7b', 'deepseek-v3', 'gemma-3-27b'])('%s', (model) => {
  it.each<readonly [(readonly Framework[])?]>([
    [],
    [['megatron']],
    [['torchtitan']],
    [['maxtext']],
  ])('run by %j', (frameworks) => {
    const runs = runnable(model, frameworks)
    let ran = 0
    for (const context of contexts) {
      for (const tensor of sizes) {
        for (const tensor2 of [1, 2]) {
          for (const expert of sizes) {
            for (const pipeline of [1, 4]) {
              const mesh: Mesh = { ...unitMesh, context, tensor, tensor2, expert, pipeline }
              if (!runs(mesh)) continue
              ran++
              expect([context, runs({ ...unitMesh, context })]).toEqual([context, true])
            }
          }
        }
      }
    }
    ranAtAll += ran
  })
})

it('is a law of something', () => {
  expect(ranAtAll).toBeGreaterThan(1000)
})
