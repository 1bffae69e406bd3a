/** What starts a job says the hardware that it starts on: node selectors of GKE, types of xpk. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const settings =
  'python3 -m maxtext.trainers.pre_train.train base.yml model_name=llama3-8b per_device_batch_size=1 max_target_length=4096'
const xpk = (options: string) => `xpk workload create --cluster=c ${options} --command="${settings}"`

async function evaluated(plan: object, more: object = {}) {
  const { body, status } = await agent.post('/evaluate').send({ plan, ...more })
  return { status, hardware: body.read?.request.hardware, notes: String(body.read?.notes), body }
}

it.each([
  ['--device-type=tpu7x-4x4x4 --num-slices=1', { chip: 'tpu-7x', topology: [4, 4, 4] }],
  ['--tpu-type=v6e-256 --num-slices=2', { chip: 'tpu-v6e', chips: 512, slices: 2 }],
  ['--tpu-type v5p-16', { chip: 'tpu-v5p', chips: 8 }],
  ['--tpu-type=v5litepod-16', { chip: 'tpu-v5e', chips: 16 }],
])('xpk with %s', async (options, hardware) => {
  const found = await evaluated({ maxtext: xpk(options) })
  expect([found.status, found.hardware]).toEqual([200, hardware])
  expect(found.notes).toContain('the hardware is taken from the type')
})

const server = (selectors: string, replicas = '') =>
  `apiVersion: v1\nspec:\n${replicas}      nodeSelector: {${selectors}}\n      containers:\n      - image: a\n        command: [vllm, serve, meta-llama/Llama-3.1-8B, --tensor-parallel-size, "8", --max-model-len, "4096"]\n`
const tpu = (accelerator: string, topology: string) =>
  `cloud.google.com/gke-tpu-accelerator: ${accelerator}, cloud.google.com/gke-tpu-topology: ${topology}`
const generate = { model: 'llama-3.1-8b', workload: { mode: 'generate', batchSequences: 16 } }

it('node selectors of a manifest say the chip and the shape of its slice', async () => {
  const found = await evaluated({ vllm: server(tpu('tpu-v6e-slice', '2x4')) }, generate)
  expect([found.status, found.hardware]).toEqual([200, { chip: 'tpu-v6e', topology: [2, 4] }])
  expect(found.notes).toContain('gke-tpu-accelerator tpu-v6e-slice and gke-tpu-topology 2x4')
})

it('replicas of the jobs of a JobSet are slices, those of a Deployment are not', async () => {
  const job = `apiVersion: jobset.x-k8s.io/v1alpha2\nspec:\n  replicatedJobs:\n  - replicas: 2\n    template:\n      nodeSelector: {${tpu('tpu7x', '2x2x2')}}\n      containers:\n      - image: a\n        command: [sh, -c, "${settings}"]\n`
  expect((await evaluated({ maxtext: job })).hardware).toEqual({
    ...{ chip: 'tpu-7x', topology: [2, 2, 2] },
    slices: 2,
  })
  const deployed = server(tpu('tpu-v6e-slice', '2x4'), '  replicas: 3\n')
  expect((await evaluated({ vllm: deployed }, generate)).hardware.slices).toBeUndefined()
})

it('what the request says of hardware stands', async () => {
  const plan = { maxtext: xpk('--device-type=tpu7x-4x4x4') }
  const own = async (hardware: object) => (await evaluated(plan, { hardware })).hardware
  expect(await own({ chip: 'ironwood' })).toEqual({ chip: 'ironwood', topology: [4, 4, 4] })
  expect(await own({ chip: 'tpu-7x', topology: [2, 2, 2] })).toEqual({ chip: 'tpu-7x', topology: [2, 2, 2] })
  const other = await evaluated(plan, { hardware: { chip: 'tpu-v5p', chips: 8 } })
  expect(other.notes).not.toContain('the hardware is taken')
})

it('a type or a selector that is not known says nothing', async () => {
  for (const options of ['--device-type=$TYPE', '--device-type=h100-80gb-8', '--tpu-type=v5p-7']) {
    expect((await evaluated({ maxtext: xpk(options) })).status).not.toBe(200)
  }
  const open = server(tpu('tpu-v6e-slice', '$SHAPE'))
  expect((await evaluated({ vllm: open }, generate)).status).not.toBe(200)
})
