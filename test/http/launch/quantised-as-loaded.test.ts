/** Weights in fp8 of a model without such a release are made of one in 16 bits, and prompt, note and flag of a command say the same. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const precision = { weights: 'fp8', compute: 'fp8' }
const workload = { mode: 'serve', promptLength: 2048, outputLength: 512, disaggregated: false }

const launchOf = async (asked: object) => {
  const { status, body } = await agent.post('/optimize').send({ precision, workload, top: 1, ...asked })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body.plans[0].launch
}

it.each([
  ['llama-3.3-70b', `"\${MODEL:?a checkpoint of llama-3.3-70b in bf16}"`, 'a checkpoint'],
  [
    'meta-llama/Llama-3.3-70B-Instruct',
    'meta-llama/Llama-3.3-70B-Instruct',
    'meta-llama/Llama-3.3-70B-Instruct',
  ],
])('of %s', async (model, word, meant) => {
  for (const [key, name, framework] of [
    ['vllm', 'vLLM', 'vllm'],
    ['sglang', 'SGLang', 'sglang'],
  ] as const) {
    const asked = { model, hardware: { chip: 'l40s', chips: 4 }, assumptions: { frameworks: [framework] } }
    const launch = await launchOf(asked)
    const { command } = launch.commands[framework]
    expect(command).toContain(` ${word} `)
    expect(command).toContain('--quantization fp8')
    expect(launch.notes).toContainEqual(expect.stringContaining(`${name}: ${meant} in bf16 is meant`))
    const { status, body } = await agent
      .post('/validate')
      .send({ ...asked, precision, workload, plan: { [key]: command } })
    expect([status, body.ok], JSON.stringify(body).slice(0, 500)).toEqual([200, true])
  }
})

it('of a model that has one, that one is loaded as it is stored', async () => {
  const asked = {
    model: 'qwen3-32b',
    hardware: { chip: 'h100-sxm', chips: 2 },
    assumptions: { frameworks: ['vllm'] },
  }
  const { command } = (await launchOf(asked)).commands.vllm
  expect(command).toContain('vllm serve Qwen/Qwen3-32B-FP8 ')
  expect(command).not.toContain('--quantization')
})

it('of a release in 16 bits is not what a command without the option loads', async () => {
  const name = 'meta-llama/Llama-3.3-70B-Instruct'
  const asked = (options: string) =>
    agent.post('/validate').send({
      ...{ hardware: { chip: 'h100-sxm', chips: 4 }, precision, workload },
      plan: { vllm: `vllm serve ${name} -tp 4 --max-model-len 8192 ${options}` },
    })
  const plain = await asked('')
  expect(plain.status).toBe(422)
  expect(JSON.stringify(plain.body.errors)).toMatch(/precision.*bf16/)
  expect((await asked('--quantization fp8')).status).toBe(200)
})
