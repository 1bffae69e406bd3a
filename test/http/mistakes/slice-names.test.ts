/** Names of whole slices are no chips; the error says which chip and which topology are meant. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

it.each([
  ['v5p-1024', '512 chips', '{"chip":"tpu-v5p","topology":[8,8,8]}'],
  ['v6e-256', '256 chips', '{"chip":"tpu-v6e","topology":[16,16]}'],
  ['tpu7x-128', '64 chips', '{"chip":"tpu-7x","topology":[4,4,4]}'],
])('%s is %s', async (chip, chips, hardware) => {
  const { status, body } = await agent.post('/optimize').send({
    ...{ model: 'llama-3-8b', hardware: { chip, chips: 4 } },
    workload: { mode: 'train', batchTokens: 1_048_576, sequenceLength: 8192 },
  })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(JSON.stringify(body.errors ?? body)).toContain(chips)
  expect(JSON.stringify(body.errors ?? body)).toContain(JSON.stringify(hardware).slice(1, -1))
})

it('is the hardware where it is all that is said of it', async () => {
  const workload = { mode: 'train', batchTokens: 1_048_576, sequenceLength: 8192 }
  const asked = (hardware: object) =>
    agent.post('/optimize').send({ model: 'llama-3-8b', hardware, workload, top: 1 })
  const { body } = await asked({ chip: 'v6e-8' })
  expect(body.hardware).toMatchObject({ chips: 8, network: { topology: [2, 4] } })
  expect((await asked({ chip: 'h100-8' })).body.errors).toMatchObject([{ pointer: '/hardware/chip' }])
  expect((await asked({ chip: 'h100-sxm' })).body.errors).toMatchObject([{ pointer: '/hardware' }])
  expect((await asked({ chip: 'rtx-pro-6000' })).body.errors).toMatchObject([{ pointer: '/hardware/chips' }])
})

it('is of a shape in the words of Google Cloud as of a list', async () => {
  const workload = { mode: 'train', batchTokens: 1_048_576, sequenceLength: 8192 }
  const asked = (topology: unknown) =>
    agent
      .post('/optimize')
      .send({ model: 'llama-3-8b', hardware: { chip: 'tpu-v5e', topology }, workload, top: 1 })
  const { body } = await asked('2x4')
  expect(body.hardware).toMatchObject({ chips: 8, network: { topology: [2, 4] } })
  expect(body.plans).toEqual((await asked([2, 4])).body.plans)
  expect((await asked('4x4_twisted')).body.errors).toMatchObject([
    { pointer: '/hardware/topology', correction: [{ pointer: '/hardware/topology', value: [4, 4] }] },
  ])
  expect((await asked('4x5000')).body.errors).toMatchObject([{ pointer: '/hardware/topology/1' }])
})
