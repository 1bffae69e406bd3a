/** Embedding and head in a pipeline: at its two ends, or on every stage, which all take the loss (MaxText). */
import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../src/evaluate.ts'
import { assumedUnder } from '../../../src/launch/training.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const sequenceLength = 4096
const asked = { model: 'llama-3-8b', chip: 'tpu-v5e', topology: [2, 4], sequenceLength }
const [vocab, dModel] = [128_256, 4096]

function memory(endsOnEveryStage: boolean | null, sequences: number, pipeline: number, model = 'llama-3-8b') {
  const said = endsOnEveryStage === null ? {} : { endsOnEveryStage }
  const assumptions = { basis: 'calibrated', gradientsBesideSum: false, ...said } as const
  const given = problem({ ...asked, model, batchTokens: sequences * sequenceLength, assumptions })
  const mesh = { ...unitMesh, tensor: 4, pipeline, data: 2 / pipeline }
  const microbatches = sequences / mesh.data
  const plan = { mesh, microbatches, rematerialization: 'full', zeroStage: 0 } as const
  return legal(evaluate(given, plan, solver)).plan.memoryBytes
}

describe('the ends of a pipeline on every stage', () => {
  it('take the states of a second matrix', () => {
    const [apart, all] = [memory(false, 8, 2), memory(true, 8, 2)]
    // Weights and gradients in bf16, master weights and two moments in fp32.
    const states = ({ parameters, gradients, optimizer }: typeof all) => parameters + gradients + optimizer
    expect((states(all) - states(apart)) / ((vocab * dModel * (2 + 2 + 12)) / 4)).toBeCloseTo(1, 2)
  })

  it('have logits of all microbatches, which the stages share out', () => {
    const logits = (sequences: number) => (sequences * sequenceLength * vocab * 2) / 8
    const more = memory(true, 32, 2).workspace - memory(true, 16, 2).workspace
    expect(more / logits(16)).toBeCloseTo(1, 6)
    expect(memory(false, 32, 2).workspace).toBe(memory(false, 16, 2).workspace)
  })

  it('are the same without a pipeline', () => {
    expect(memory(true, 16, 1)).toEqual(memory(false, 16, 1))
  })

  it('are assumed on TPUs, and where MaxText alone launches', () => {
    expect(memory(null, 16, 2)).toEqual(memory(true, 16, 2))
    const gpus = problem({
      model: 'llama-3-8b',
      chip: 'h100-sxm',
      chips: 8,
      batchTokens: 65_536,
      sequenceLength,
    })
    expect(gpus.assumptions.endsOnEveryStage).toBe(false)
    expect(assumedUnder(['maxtext'], gpus)).toMatchObject({ endsOnEveryStage: true })
    expect(assumedUnder(['megatron', 'maxtext'], gpus)).not.toHaveProperty('endsOnEveryStage')
  })
})
