/** What a server's file says of its memory, its longest request and its pods decides whether it starts. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const model = 'meta-llama/Llama-3.1-70B-Instruct'

interface Told {
  readonly name: string
  readonly ok: boolean
  readonly message: string
  readonly nearest?: readonly {
    readonly detail: string
    readonly inFile?: { readonly set: readonly string[] }
  }[]
}

async function asked(plan: Record<string, string>, hardware: Record<string, unknown> = { chips: 8 }) {
  const { body } = await agent.post('/validate').send({
    hardware: { chip: 'h100-sxm', ...hardware },
    workload: { mode: 'serve', promptLength: 2000, outputLength: 300 },
    plan,
  })
  const check = (name: string) => ((body.checks ?? []) as Told[]).find((one) => one.name === name)
  const set = (name: string) => check(name)?.nearest?.flatMap(({ inFile }) => inFile?.set ?? [])
  const faults = ((body.errors ?? []) as { detail: string }[]).map(({ detail }) => detail).join('\n')
  const told = { set, faults, plan: body.plan, warnings: ((body.warnings ?? []) as string[]).join('\n') }
  return { ...told, launches: check('launchableBy'), fits: check('fits') }
}

describe('the longest request of a server', () => {
  it.each([
    ['that its option says', ' --max-model-len 131072'],
    ["that is the model's", ''],
  ])('%s needs room for vLLM to start', async (_, option) => {
    const { launches, set, fits, plan } = await asked({ vllm: `vllm serve ${model} -tp 2${option}` })
    expect(launches?.message).toMatch(
      /no room for one request.*room for \d+ positions, and --max-model-len is 131072/,
    )
    expect(set('launchableBy')?.[0]).toMatch(/^--max-model-len [5-9]\d{3}$/)
    expect(fits?.message).toMatch(new RegExp(`room for ${plan.roomSequences} sequences .*at most 1024`))
    expect(plan.roomSequences).toBeLessThan(100)
  })

  it('starts with what is suggested, with as much as fits, and on more chips', async () => {
    for (const words of ['-tp 2 --max-model-len 4096', '-tp 2 --max-model-len auto', '-tp 4'])
      expect((await asked({ vllm: `vllm serve ${model} ${words}` })).launches?.ok, words).toBe(true)
  })

  it('is cut short by SGLang, with a warning', async () => {
    const command = `python3 -m sglang.launch_server --model-path ${model} --tp 2 --mem-fraction-static 0.9`
    const { launches, warnings } = await asked({ sglang: command })
    expect(launches?.ok).toBe(true)
    expect(warnings).toMatch(/room for one request of \d+ positions: longer ones, of up to the 131072/)
  })

  it('has to fit into a step where prompts are not read in parts', async () => {
    const words = '-tp 8 --max-model-len 100000 --no-enable-chunked-prefill --max-num-batched-tokens'
    expect((await asked({ vllm: `vllm serve ${model} ${words} 8192` })).faults).toMatch(
      /below its longest request of 100000/,
    )
    expect((await asked({ vllm: `vllm serve ${model} ${words} 100000` })).faults).toBe('')
  })

  it('has that room where no tokens of a step are told, and the chips keep memory for them', async () => {
    const served = (words: string) => asked({ vllm: `vllm serve ${model} -tp 8 ${words}` })
    const [whole, parts, long] = [
      await served('--max-model-len 100000 --no-enable-chunked-prefill'),
      await served('--max-model-len 100000'),
      await served('--no-enable-chunked-prefill'),
    ]
    expect([whole, parts, long].map(({ faults }) => faults)).toEqual(['', '', ''])
    expect([whole, parts, long].map(({ plan }) => plan.stepTokens)).toEqual([100_000, 8192, 131_072])
    expect(whole.warnings).toMatch(/100000 tokens in a step.*room for the longest request/)
    expect(whole.plan.roomSequences).toBeLessThan(parts.plan.roomSequences)
  })

  it('is shorter than what a step has room for anyway', async () => {
    const { plan } = await asked({
      vllm: `vllm serve ${model} -tp 8 --max-model-len 4096 --no-enable-chunked-prefill`,
    })
    expect(plan.stepTokens).toBe(8192)
  })
})

describe('a share of memory that is too small', () => {
  it.each([
    [
      'vLLM',
      { vllm: 'vllm serve meta-llama/Llama-3.1-8B-Instruct --gpu-memory-utilization 0.1' },
      '--gpu-memory-utilization 0.8',
    ],
    [
      'SGLang',
      { sglang: `python3 -m sglang.launch_server --model-path ${model} --tp 2 --mem-fraction-static 0.5` },
      '--mem-fraction-static 0.9',
    ],
    [
      'SGLang, which takes 0.828 of two H100 where nothing is said',
      { sglang: `python3 -m sglang.launch_server --model-path ${model} --tp 2` },
      '--mem-fraction-static 0.9',
    ],
  ] as const)('is raised, in the words of %s', async (_, plan, option) => {
    const { fits, set } = await asked(plan)
    expect(fits?.ok).toBe(false)
    expect(set('fits')?.[0]).toMatch(option)
  })

  it('is no per cent', async () => {
    const { faults } = await asked({ vllm: `vllm serve ${model} -tp 8 --gpu-memory-utilization 95` })
    expect(faults).toMatch(/^--gpu-memory-utilization 95 .*did you mean 0\.95\?/)
  })
})

describe('experts in blocks that their chips cut', () => {
  const name = 'Qwen/Qwen3-235B-A22B-FP8'
  it.each([
    ['vLLM', { vllm: `vllm serve ${name} -tp 8` }, '--enable-expert-parallel'],
    ['SGLang', { sglang: `python3 -m sglang.launch_server --model-path ${name} --tp 8` }, '--ep-size 8'],
  ] as const)('are the reason that %s is told, with what keeps them whole', async (_, plan, option) => {
    const { launches, fits, set } = await asked(plan)
    expect(fits?.ok).toBe(true)
    expect(launches?.message).toMatch(/^\w+: \w+ slices weights .* in 8 slices of 192$/)
    expect(set('launchableBy')?.[0]).toBe(option)
  })
})

describe('the servers of a manifest', () => {
  const deployment = (more = '', replicas = 4, gpus = 2) => `apiVersion: apps/v1
kind: Deployment
spec:
  replicas: ${replicas}
  template: {spec: {containers: [{image: vllm/vllm-openai, args: [--model, Qwen/Qwen3-32B, -tp, "2", --max-model-len, "16384"], resources: {limits: {nvidia.com/gpu: "${gpus}"}}}]}}
${more}`

  it('are as many as it says, on their own chips', async () => {
    expect((await asked({ vllm: deployment() }, {})).plan).toMatchObject({
      chips: 8,
      generate: { instances: 4 },
    })
    const more = await asked({ vllm: deployment() }, { chips: 16 })
    expect([more.plan.chips, more.warnings]).toEqual([
      8,
      expect.stringMatching(/of the 16 chips the others stay idle/),
    ])
    expect((await asked({ vllm: deployment() }, { chips: 4 })).faults).toMatch(
      /starts 4 servers .* 8 in all, and there are 4/,
    )
  })

  it('follow from the chips where they are scaled', async () => {
    const scaler = '---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n'
    expect((await asked({ vllm: deployment(scaler) }, { chips: 16 })).plan.generate.instances).toBe(8)
  })

  it('take less than their pods have, with a note', async () => {
    expect((await asked({ vllm: deployment('', 1, 8) }, {})).warnings).toMatch(
      /have 8 GPUs, of which it takes 2/,
    )
  })
})

describe('a command that is given fewer GPUs than it starts ranks', () => {
  const command = `vllm serve ${model} -tp 4 --max-model-len 16k`
  const image = `vllm/vllm-openai --model ${model} -tp 4 --max-model-len 16k`
  const compose = `services:
  vllm:
    image: vllm/vllm-openai
    command: --model ${model} -tp 4 --max-model-len 16k
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]}}}
`
  const chart = `servingEngineSpec:
  modelSpec:
  - {name: a, modelURL: ${model}, requestGPU: 2, vllmConfig: {tensorParallelSize: 4, maxModelLen: 16384}}
`
  it.each([
    ['a variable', `CUDA_VISIBLE_DEVICES=0,1 ${command}`],
    ['docker', `docker run --gpus '"device=0,1"' ${image}`],
    ['compose', compose],
    ['a chart', chart],
  ])('by %s does not start', async (_, text) => {
    const { launches } = await asked({ vllm: text })
    expect(launches?.message).toMatch(/starts 4 ranks where it is given 2 GPUs, and does not start/)
  })
})

it('servers of which one alone is read fail where they are not alike', async () => {
  const service = (name: string, ...words: readonly string[]) =>
    `  ${name}:\n    image: vllm/vllm-openai:v0.19.0\n    command: ${JSON.stringify(['--model', ...words])}\n`
  const small = service('small', 'meta-llama/Llama-3.1-8B-Instruct', '--tensor-parallel-size', '4')
  const checks = async (vllm: string, require: object = {}) => {
    const { body } = await agent.post('/validate').send({
      hardware: { chip: 'h100-sxm', chips: 4 },
      workload: { mode: 'generate', contextLength: 4096, batchSequences: 64 },
      plan: { vllm },
      require,
    })
    return (body.checks as Told[]).find(({ name }) => name === 'understood')?.message
  }
  const two = `services:\n${service('big', model, '--tensor-parallel-size', '2')}${small}`
  expect(await checks(two)).toMatch(/only the last server .*Llama-3.1-70B-Instruct --tensor-parallel-size 2/)
  expect(await checks(two, { understood: false })).toBeUndefined()
  const replicas = `services:\n${small}${small.replace('small', 'other').replace('"4"', '"4","--port","8001"')}`
  expect(await checks(replicas)).toBeUndefined()
})
