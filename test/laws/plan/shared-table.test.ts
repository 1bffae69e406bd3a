/** Where the first and the last stage hold one table, they sum its gradients once a step, and nobody else does. */
import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../src/evaluate.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import { solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'
import { smallDense } from '../../small-model.ts'

const unit = { data: 1, fsdp: 1, tensor: 1, tensor2: 1, context: 1, expert: 1, pipeline: 1 }

function planOf(tiedEmbeddings: boolean, mesh: Partial<typeof unit>) {
  const made = problem({
    ...{ model: { ...smallDense, tiedEmbeddings }, chip: 'h100-sxm', chips: 16 },
    ...{ batchTokens: 64 * 4096, sequenceLength: 4096, rematerialization: ['none'] },
    assumptions: { basis: 'calibrated', frameworks: [] },
  })
  const sketch: PlanSketch = {
    mesh: { ...unit, ...mesh },
    ...{ zeroStage: 1, microbatches: 4, rematerialization: [{ policy: 'none', layers: 6 }] },
  }
  const { plan } = legal(evaluate(made, sketch, solver))
  const summed = plan.collectives.filter(({ op, over }) => op === 'AllReduce' && over === 'pipeline')
  return { plan, summed }
}

describe('a table that two stages hold', () => {
  it.each([
    { data: 8, pipeline: 2 },
    { data: 4, pipeline: 2, tensor: 2 },
  ])('is summed on %o', (mesh) => {
    const { plan, summed } = planOf(true, mesh)
    const tensor = 'tensor' in mesh ? mesh.tensor : 1
    const [line] = summed
    expect(summed).toHaveLength(1)
    const { vocab, dModel } = smallDense
    // The row of the last norm counts with it.
    expect((line?.bytes ?? 0) / ((vocab * dModel * 2) / tensor)).toBeCloseTo(1, 3)
    expect([line?.count, line?.exposed, line?.pass]).toEqual([1, true, 'step'])
    const apart = planOf(false, mesh)
    expect(apart.summed).toEqual([])
    expect(plan.timeSeconds.exposedCommunication).toBeGreaterThan(apart.plan.timeSeconds.exposedCommunication)
  })

  it('is summed by nobody on one stage', () => {
    expect(planOf(true, { data: 16 }).summed).toEqual([])
  })
})
