/** Servers of models whose layers have a recurrence: what a command says of their states is counted, and what is written says what the plan assumes. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const hardware = { chip: 'h200-sxm', chips: 4 }
const generates = { mode: 'generate', contextLength: 8192 }
const named = 'Qwen/Qwen3-Next-80B-A3B-Instruct'

async function evaluated(plan: object, workload: object = generates) {
  const { status, body, text } = await agent.post('/evaluate').send({ hardware, workload, plan })
  expect(status, text.slice(0, 400)).toBe(200)
  return body
}

const sglang = (options: string) =>
  evaluated({ sglang: `python3 -m sglang.launch_server --model-path ${named} --tp 4 ${options}` })

it('the states that SGLang is given cap the requests that run', async () => {
  const { plan, read } = await sglang('--max-mamba-cache-size 30 --disable-radix-cache')
  expect(plan.batchSequences).toBe(30)
  expect(read.ignored.join()).not.toContain('mamba')
  expect(read.notes.join()).not.toContain('upper limit')
})

it('the lesser of requests and of what their states allow is the cap, in each group of attention', async () => {
  const prefixes = '--max-mamba-cache-size 100 --max-running-requests'
  expect((await sglang(`${prefixes} 64`)).plan.batchSequences).toBe(20)
  expect((await sglang(`${prefixes} 12`)).plan.batchSequences).toBe(12)
  const lazy = '--mamba-radix-cache-strategy extra_buffer_lazy'
  expect((await sglang(`${prefixes} 64 ${lazy}`)).plan.batchSequences).toBe(25)
  const groups = '--enable-dp-attention --dp-size 4 --disable-radix-cache --max-mamba-cache-size 30'
  expect((await sglang(groups)).plan.batchSequences).toBe(28)
})

it('fewer states than a request takes are refused', async () => {
  const command = `python3 -m sglang.launch_server --model-path ${named} --tp 4 --max-mamba-cache-size 4`
  const { body } = await agent
    .post('/evaluate')
    .send({ hardware, workload: generates, plan: { sglang: command } })
  expect(body.status).toBe(422)
  expect(JSON.stringify(body)).toContain('the nearest is 5')
})

it('where SGLang splits memory between states and caches, the sequences are told to be an upper limit', async () => {
  const limit = expect.stringContaining('upper limit')
  expect((await sglang('')).read.notes).toContainEqual(limit)
  const { read } = await sglang('--mamba-full-memory-ratio 0.5')
  expect(read.notes).toContainEqual(expect.stringContaining('0.5 times the memory of caches'))
  expect(read.ignored.join() + read.notUnderstood.join()).not.toContain('ratio')
  expect((await sglang('--disable-radix-cache --max-running-requests 40')).read.notes).not.toContainEqual(
    limit,
  )
})

it('a plan with a cached prefix is served by SGLang with prefixes, and with states for them', async () => {
  const planned = async (cachedPrefixLength: number) => {
    const workload = { mode: 'prefill', promptLength: 8192, batchSequences: 4, cachedPrefixLength }
    const { body } = await agent.post('/optimize').send({
      model: 'qwen3-next-80b-a3b',
      hardware,
      workload,
      assumptions: { frameworks: ['sglang'] },
      top: 1,
    })
    const { sglang: flags, notes } = body.plans[0].launch
    const after = (name: string) => Number(flags[flags.indexOf(name) + 1])
    return { flags, notes, slots: after('--max-mamba-cache-size') / after('--max-running-requests') }
  }
  const [none, some] = [await planned(0), await planned(4096)]
  expect(none.flags).toContain('--disable-radix-cache')
  expect(none.slots).toBe(1)
  expect(some.flags).not.toContain('--disable-radix-cache')
  expect(some.slots).toBe(5)
  expect(some.notes.join()).toContain('5 states a request')
})

it('the type of states is written as it is counted, and another is told', async () => {
  const vllm = async (options: string) => {
    const { read } = await evaluated({ vllm: `vllm serve ${named} -tp 4 ${options}` })
    expect(read.notUnderstood.join()).not.toContain('mamba')
    return read.notes.join()
  }
  expect(await vllm('')).toContain('--mamba-ssm-cache-dtype is not said')
  expect(await vllm('--mamba-cache-dtype bfloat16')).toContain('--mamba-ssm-cache-dtype bfloat16')
  expect(await vllm('--mamba-ssm-cache-dtype float32')).not.toContain('mamba')
  expect((await sglang('--mamba-ssm-dtype bfloat16')).read.notes.join()).toContain('counted in float32')
  expect((await sglang('--mamba-ssm-dtype float32')).read.notes.join()).not.toContain('counted in float32')
})

it('a length beyond the maximum of a model is told to be refused, written or read', async () => {
  const longer = 2 ** 20
  const variables = ['VLLM_ALLOW_LONG_MAX_MODEL_LEN=1', 'SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1']
  const launched = async (contextLength: number) => {
    const workload = { mode: 'generate', contextLength, batchSequences: 4 }
    const { body } = await agent
      .post('/optimize')
      .send({ model: 'qwen3-next-80b-a3b', hardware, workload, top: 1 })
    return body.plans[0].launch
  }
  const [within, beyond] = [await launched(2 ** 18), await launched(longer)]
  for (const variable of variables) {
    expect(beyond.notes.join()).toContain(variable)
    expect(within.notes.join()).not.toContain(variable)
  }
  const states = beyond.vllm.indexOf('--mamba-ssm-cache-dtype')
  expect(beyond.vllm[states + 1]).toBe('float32')
  const asked = { mode: 'generate' }
  const served = await evaluated({ vllm: `vllm serve ${named} -tp 4 --max-model-len ${longer}` }, asked)
  expect(served.read.notes.join()).toContain(variables[0])
  const other = `python3 -m sglang.launch_server --model-path ${named} --tp 4 --context-length`
  expect((await evaluated({ sglang: `${other} ${longer}` }, asked)).read.notes.join()).toContain(variables[1])
  expect((await evaluated({ sglang: `${other} 8192` }, asked)).read.notes.join()).not.toContain(variables[1])
})
