/** Types below 16 bits that MaxText multiplies in, experts too, and what is said of the others. */
import { describe, expect, it } from 'vitest'
import { type HandMade, launched } from '../../golden/launched-plan.ts'

const precision = {
  weights: 'bf16',
  compute: 'int8',
  kvCache: 'bf16',
  gradients: 'bf16',
  optimizer: 'fp32',
} as const

const told = (model: string, types: object = {}) => {
  const asked = { model, chip: 'tpu-v6e', topology: [4, 4], batchTokens: 16 * 4096, sequenceLength: 4096 }
  return JSON.stringify(
    launched({ ...asked, precision: { ...precision, ...types } }, { mesh: { fsdp: 16 }, zeroStage: 3 })
      .maxtext,
  )
}

it('experts in int8 are the obstacle, not the types of a mixture, in whichever its weights are', () => {
  expect(told('mixtral-8x7b')).toContain('no matmuls of experts in int8 on TPUs')
  expect(told('mixtral-8x7b')).not.toContain('weights in bf16')
  expect(told('mixtral-8x7b', { weights: 'fp32' })).toContain('no matmuls of experts in int8 on TPUs')
  expect(told('llama-3-8b')).toContain('"int8"')
  expect(told('llama-3-8b')).not.toContain('unsupported')
  expect(told('mixtral-8x7b', { compute: 'fp8' })).toContain('fp8_full')
})

describe('fp8 on GPUs', () => {
  const fp8 = { ...precision, compute: 'fp8', gradients: 'fp32' } as const
  const asked = {
    model: 'llama-3-8b',
    chips: 32,
    batchTokens: 64 * 4096,
    sequenceLength: 4096,
    precision: fp8,
  }
  const sharded = { mesh: { fsdp: 32 }, zeroStage: 3 } as const
  const piped = {
    mesh: { fsdp: 16, pipeline: 2 },
    zeroStage: 3,
    schedule: { name: 'gpipe', virtualStages: 1 },
  } as const
  const keys = (chip: string, plan: HandMade) => JSON.stringify(launched({ ...asked, chip }, plan).maxtext)

  it('does not go with accumulated gradients, but with microbatches of a pipeline', () => {
    for (const [chip, name] of [
      ['h100-sxm', '"fp8"'],
      ['mi300x', '"nanoo_fp8"'],
    ] as const) {
      expect(keys(chip, { ...sharded, microbatches: 2 })).toContain('gradients of 2 microbatches in fp8')
      expect(keys(chip, sharded)).toContain(name)
      expect(keys(chip, { ...piped, microbatches: 4 })).toContain('"num_pipeline_microbatches":4')
    }
  })

  it('is accumulated on TPUs', () => {
    const onTpu = { ...asked, chip: 'tpu-v6e', topology: [4, 8] }
    expect(launched(onTpu, { ...sharded, microbatches: 2 }).maxtext).toMatchObject({
      gradient_accumulation_steps: 2,
      quantization: 'fp8_full',
    })
  })
})
