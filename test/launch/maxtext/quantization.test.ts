/** Types below 16 bits that MaxText multiplies experts in, and what is said of the others. */
import { expect, it } from 'vitest'
import { launched } from '../../golden/launched-plan.ts'

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
