/** trtllm-serve takes attention by sequences and the type of caches as options or in its file, and both are read. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tensorrtValues } from '../../../src/launch/tensorrt-llm/expert-backends.ts'
import { readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { tensorrtVersion } from '../../../src/launch/tensorrt-llm/version.ts'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const context = { chips: 8, slices: 1, mode: 'generate', model: null }
const serve = 'trtllm-serve deepseek-ai/DeepSeek-R1 --tp_size 8 --ep_size 8 --max_batch_size 64'

it('options of the command are read as those of the file', () => {
  const file = { enable_attention_dp: true, kv_cache_config: { dtype: 'fp8' } }
  const inFile = readTensorrt(serve, file, context)
  const said = readTensorrt(`${serve} --enable_attention_dp --kv_cache_dtype fp8`, {}, context)
  expect(said).toEqual(inFile)
  expect(said.precision).toMatchObject({ kvCache: 'fp8' })
  expect(said.notUnderstood).toEqual([])
  expect(readTensorrt(serve, {}, context).plan).not.toEqual(said.plan)
})

it('the file wins over the command', () => {
  const file = { kv_cache_config: { dtype: 'nvfp4' } }
  const { precision } = readTensorrt(`${serve} --kv_cache_dtype fp8`, file, context)
  expect(precision).toMatchObject({ kvCache: 'nvfp4' })
})

it('a release that is older than those that times are of is told', () => {
  const notes = (text: string) => readTensorrt(text, {}, context).notes.join()
  const image = (tag: string) => `docker run --gpus all nvcr.io/nvidia/tensorrt-llm/release:${tag} ${serve}`
  expect(notes(image('0.21.0'))).toMatch(/TensorRT-LLM 0\.21 is costed as releases since 1\.1 run/)
  expect(notes(`pip install tensorrt_llm==1.0.0rc6\n${serve}`)).toMatch(/TensorRT-LLM 1\.0 is costed/)
  for (const newer of [image('1.1.0rc2.post2'), image('1.10.0'), image('2.0.0'), serve])
    expect(notes(newer)).not.toMatch(/is costed as/)
})

it('a file that the command names is sent, or written in the same script, or told', async () => {
  const agent = service({ search: planning })
  const command = 'trtllm-serve meta-llama/Llama-3-8B --config shardplan.yaml'
  const config = 'tensor_parallel_size: 4\nmax_batch_size: 16\nmax_seq_len: 4096\n'
  const asked = async (tensorrtLlm: unknown) => {
    const hardware = { chip: 'h100-sxm', chips: 4 }
    return agent.post('/evaluate').send({ hardware, workload: { mode: 'generate' }, plan: { tensorrtLlm } })
  }
  const refused = await asked(command)
  expect(refused.status).toBe(422)
  expect(refused.body.errors[0].detail).toMatch(/shardplan\.yaml, which is not here.*"command".*"config"/)
  const both = await asked({ command, config })
  const script = `N=4\ncat > shardplan.yaml <<EOF\n${config.replace('4', '$N')}EOF\n${command} 2>&1 | tee log`
  const scripted = await asked(script)
  expect([both.status, scripted.status]).toEqual([200, 200])
  expect(both.body.plan.mesh).toMatchObject({ tensor: 4, data: 1 })
  expect(scripted.body.read).toEqual(both.body.read)
})

it('its options are of the version that answers name, and the backends of experts are those that there are', () => {
  const { version, backends } = JSON.parse(readFileSync('fixtures/options/tensorrt-llm.json', 'utf8'))
  expect(version).toBe(tensorrtVersion)
  expect(tensorrtValues['moe_config.backend']).toEqual(backends)
})

it('a key that a section of its file does not have is refused, however far from all', async () => {
  const agent = service({ search: planning })
  const checks = async (section: string) => {
    const config = `tensor_parallel_size: 8\n${section}\n`
    const { body } = await agent.post('/validate').send({
      hardware: { chip: 'h200-sxm', chips: 8 },
      workload: { mode: 'generate', contextLength: 2048, batchSequences: 1 },
      plan: { tensorrtLlm: { command: 'trtllm-serve Qwen/Qwen3-32B --config c.yaml', config } },
    })
    return body.checks
      .filter(({ name }: { name: string }) => name === 'understood')
      .map(({ actual, expected }: Record<string, string>) => [actual, expected])
  }
  const share = 'kv_cache_config.free_gpu_memory_fraction'
  const none = 'an option of tensorrt-llm 029e223'
  expect(await checks('kv_cache_config: {free_gpu_mem_fraction: 0.85}')).toEqual([
    ['kv_cache_config.free_gpu_mem_fraction', share],
  ])
  expect(await checks('cuda_graph_config: {wholly_unlike_any_other_key: 1}')).toEqual([
    ['cuda_graph_config.wholly_unlike_any_other_key', none],
  ])
  expect(await checks('moe_config: {backend: TRTLLM, load_balancer: {num_slots: 256}}')).toEqual([])
  expect(await checks('kv_cache_config: {enable_block_reuse: false, dtype: fp8}')).toEqual([])
  // Others may have keys that are not listed.
  expect(await checks('speculative_config: {decoding_type: MTP, foo: 3}')).toEqual([])
})

describe('a backend of experts', () => {
  const agent = service({ search: planning })
  const generate = { mode: 'generate', contextLength: 2048, batchSequences: 64 }
  const asked = async (chip: string, model: string, backend: string, command = 'trtllm-serve') => {
    const config = `tensor_parallel_size: 8\nmoe_expert_parallel_size: 8\nenable_attention_dp: true\nmoe_config: {backend: ${backend}}\n`
    const { body } = await agent.post('/validate').send({
      ...{ hardware: { chip, chips: 8 }, workload: generate },
      plan: { tensorrtLlm: { command: `${command} ${model} --config c.yaml`, config } },
    })
    const { checks = [], errors = [] } = body
    const launches = checks.find(({ name }: { name: string }) => name === 'launchableBy')
    return { launches, errors: errors.map(({ detail }: { detail: string }) => detail).join() }
  }
  const r1 = 'deepseek-ai/DeepSeek-R1-0528'

  it.each(['NOSUCH', 'WIDEEP', 'cutlass'])('that there is not is told: %s', async (backend) => {
    const { errors } = await asked('h200-sxm', r1, backend)
    expect(errors).toMatch(
      `moe_config.backend is ${backend}, which there is none of; there are AUTO, CUTLASS, `,
    )
  })

  it.each([
    ['CUTLASS', 'trtllm-serve'],
    ['$BACKEND', 'trtllm-serve'],
    ['WIDEEP', 'docker run nvcr.io/nvidia/tensorrt-llm/release:1.0.0 trtllm-serve'],
  ])('that there is, or may be, is not: %s', async (backend, command) => {
    expect((await asked('h200-sxm', r1, backend, command)).errors).toBe('')
  })

  it.each([
    ['b200-sxm', r1, 'CUTLASS', false],
    ['b200-sxm', r1, 'DEEPGEMM', true],
    ['b200-sxm', r1, 'AUTO', true],
    ['b200-sxm', 'nvidia/DeepSeek-R1-0528-FP4', 'CUTLASS', true],
    ['h200-sxm', r1, 'CUTLASS', true],
  ])('has kernels or does not start: on %s %s by %s', async (chip, model, backend, ok) => {
    const { launches } = await asked(chip, model, backend)
    expect(launches.ok, launches.message).toBe(ok)
    if (!ok) expect(launches.message).toMatch(/CUTLASS has no kernels for experts in fp8 in blocks on b200/)
  })

  it.each([
    ['gb200-nvl72', 72, 'deepseek-r1', /balances 32 copies of experts by CUTLASS, which has no kernels/],
    ['h200-sxm', 64, 'deepseek-r1', null],
    ['gb200-nvl72', 64, 'nvidia/DeepSeek-R1-FP4', null],
  ])('balances copies on %s x %i of %s, or is not written', async (chip, chips, model, reason) => {
    const { status, body } = await agent.post('/evaluate').send({
      ...{ model, hardware: { chip, chips }, workload: { ...generate, batchSequences: chips * 8 } },
      assumptions: { frameworks: ['tensorrt-llm'], redundantExperts: 32 },
      plan: { mesh: { expert: chips } },
    })
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200)
    const flags = body.plan.launch['tensorrt-llm']
    if (reason) expect(flags.unwritten.join()).toMatch(reason)
    else expect(flags.moe_config).toMatchObject({ backend: 'CUTLASS', load_balancer: { num_slots: 320 } })
  })
})
