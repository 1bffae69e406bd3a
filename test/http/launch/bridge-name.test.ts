import { expect, it } from 'vitest'
import { service } from '../service.ts'

it('Megatron Bridge is asked for as megatron, and a fault says so', async () => {
  const { body } = await service()
    .post('/validate')
    .send({
      model: 'llama-3-8b',
      hardware: { chip: 'h100-sxm', chips: 8 },
      workload: { mode: 'train', batchTokens: 524_288, sequenceLength: 4096 },
      plan: { mesh: { data: 8 } },
      require: { launchableBy: ['megatron-bridge'] },
    })
  const correction = [{ pointer: '/require/launchableBy/0', value: 'megatron' }]
  expect(body.errors).toMatchObject([{ suggestions: ['megatron'], correction }])
})
