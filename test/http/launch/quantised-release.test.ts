/** A server that is told another quantisation than its release is stored by does not start; one that makes fp8 of a release in bf16 does. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

async function asked(plan: Record<string, string>, more: Record<string, unknown> = {}) {
  const { body } = await agent.post('/validate').send({
    hardware: { chip: 'h200-sxm', chips: 8 },
    workload: { mode: 'generate', contextLength: 2048, batchSequences: 1 },
    require: { fits: false },
    plan,
    ...more,
  })
  const check = body.checks?.find(({ name }: { name: string }) => name === 'launchableBy')
  return {
    message: check?.ok ? 'starts' : check?.message,
    weights: body.plan?.memoryBytes.parameters as number,
  }
}

const vllm = (model: string, word: string) => ({ vllm: `vllm serve ${model} -tp 8 --quantization ${word}` })
const sglang = (model: string, word: string) => ({
  sglang: `python3 -m sglang.launch_server --model-path ${model} --tp 8 --quantization ${word}`,
})

it.each([
  ['deepseek-ai/DeepSeek-V3', 'awq', 'stored by fp8'],
  ['Qwen/Qwen3-32B-AWQ', 'gptq', 'stored by awq or compressed-tensors'],
  ['Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4', 'fp8', 'stored by gptq'],
  ['RedHatAI/Meta-Llama-3.1-405B-Instruct-FP8-dynamic', 'fp8', 'stored by compressed-tensors'],
  ['meta-llama/Llama-3.1-70B-Instruct', 'awq_marlin', 'not quantised'],
])('%s with --quantization %s is refused: %s', async (model, word, why) => {
  for (const plan of [vllm(model, word), sglang(model, word)]) {
    expect((await asked(plan)).message).toContain(
      `--quantization ${word} is refused for ${model}, which is ${why}`,
    )
  }
})

it.each([
  ['deepseek-ai/DeepSeek-V3', 'fp8'],
  ['Qwen/Qwen3-32B-AWQ', 'awq_marlin'],
  ['Qwen/Qwen3-32B-AWQ', 'moe_wna16'],
  ['Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4', 'gptq_marlin'],
  ['nvidia/Llama-3.1-405B-Instruct-FP8', 'modelopt'],
  // Anything may be stored there.
  ['/models/Llama-3.1-70B-Instruct', 'awq'],
  ['someone/Llama-3.1-70B-Instruct-4bit', 'awq'],
])('%s with --quantization %s may start', async (model, word) => {
  for (const plan of [vllm(model, word), sglang(model, word)])
    expect((await asked(plan)).message, model).toBe('starts')
})

const optionsOf = {
  vllm: (model: string, tensor: number, more: string) => `vllm serve ${model} -tp ${tensor} ${more}`,
  sglang: (model: string, tensor: number, more: string) =>
    `python3 -m sglang.launch_server --model-path ${model} --tp ${tensor} ${more}`,
  tensorrtLlm: (model: string, tensor: number) => `trtllm-serve ${model} --tp_size ${tensor}`,
}

it('of bitsandbytes is loaded whole by vLLM and SGLang, and not at all by TensorRT-LLM', async () => {
  const model = 'unsloth/Llama-3.3-70B-Instruct-bnb-4bit'
  for (const key of ['vllm', 'sglang'] as const) {
    const cut = await asked({ [key]: optionsOf[key](model, 2, '') })
    expect(cut.message).toMatch(/bitsandbytes has stored in one tensor rank, and the plan has 2/)
    expect((await asked({ [key]: optionsOf[key](model, 1, '') })).message).toBe('starts')
    const staged = optionsOf[key](model, 1, '--pipeline-parallel-size 2')
    expect((await asked({ [key]: staged })).message).toBe('starts')
    // What it makes of a release in 16 bits as it loads is cut before it is packed.
    const made = optionsOf[key]('meta-llama/Llama-3.3-70B-Instruct', 2, '--quantization bitsandbytes')
    expect((await asked({ [key]: made })).message).toBe('starts')
  }
  const { message } = await asked({ tensorrtLlm: optionsOf.tensorrtLlm(model, 1) })
  expect(message).toMatch(/TensorRT-LLM does not load .*, which is stored by bitsandbytes/)
})

it('of GPTQ and AWQ is not loaded by TensorRT-LLM, which has AWQ by ModelOpt', async () => {
  const start = (model: string) => asked({ tensorrtLlm: optionsOf.tensorrtLlm(model, 2) })
  expect((await start('Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4')).message).toContain('stored by gptq')
  expect((await start('Qwen/Qwen3-32B-AWQ')).message).toContain('stored by awq')
  expect((await start('nvidia/Llama-3.3-70B-Instruct-AWQ')).message).toBe('starts')
  expect((await start('nvidia/Llama-3.3-70B-Instruct-FP8')).message).toBe('starts')
})

describe('caches that TensorRT-LLM has as the checkpoint says', () => {
  const planned = async (model: string, precision: Record<string, string> = {}) => {
    const { body } = await agent.post('/optimize').send({
      ...{ model, precision, hardware: { chip: 'b200-sxm', chips: 4 }, top: 1 },
      workload: { mode: 'generate', contextLength: 2048, batchSequences: 16 },
    })
    return body.plans[0].launch
  }

  it('are not launched in 16 bits where it says fp8, which vLLM and SGLang are told', async () => {
    const model = 'nvidia/Llama-3.3-70B-Instruct-FP8'
    const narrow = await planned(model)
    expect(narrow['tensorrt-llm'].kv_cache_config.dtype).toBe('fp8')
    const wide = await planned(model, { kvCache: 'bf16' })
    expect(wide['tensorrt-llm'].unsupported.join()).toMatch(/the type that the checkpoint says, fp8/)
    expect(wide.commands.vllm.command).toContain('--kv-cache-dtype bfloat16')
    expect(wide.commands.sglang.command).toContain('--kv-cache-dtype bf16')
  })

  it('are counted so in a file that does not say their type', async () => {
    const { body } = await agent.post('/evaluate').send({
      hardware: { chip: 'b200-sxm', chips: 8 },
      workload: { mode: 'generate', contextLength: 2048, batchSequences: 16 },
      plan: { tensorrtLlm: 'trtllm-serve nvidia/DeepSeek-R1-0528-FP4-v2 --tp_size 8' },
    })
    expect(body.precision.kvCache).toBe('fp8')
  })

  it('are told to be not known where the checkpoint is a guess', async () => {
    const note = /keeps caches in the type that org\/Llama-3.3-70B-Instruct-FP8 says/
    expect((await planned('org/Llama-3.3-70B-Instruct-FP8')).notes.join()).toMatch(note)
    const { notes } = await planned('org/Llama-3.3-70B-Instruct-FP8', { kvCache: 'fp8' })
    expect(notes.join()).not.toMatch(note)
  })
})

it('is told by a config.json as well', async () => {
  const config = {
    ...{ model_type: 'llama', hidden_size: 8192, intermediate_size: 28672, num_hidden_layers: 80 },
    ...{ num_attention_heads: 64, num_key_value_heads: 8, vocab_size: 128256, hidden_act: 'silu' },
  }
  const stored = (method: string) => ({
    model: { huggingFace: { ...config, quantization_config: { quant_method: method, bits: 4 } } },
  })
  expect((await asked(vllm('/models/mine', 'awq'), stored('awq'))).message).toBe('starts')
  expect((await asked(vllm('/models/mine', 'awq'), stored('gptq'))).message).toMatch(/stored by gptq/)
})

it('makes fp8 of a release in bf16, whose weights take half of the room', async () => {
  const model = 'meta-llama/Llama-3.1-70B-Instruct'
  const plain = (await asked({ vllm: `vllm serve ${model} -tp 8` })).weights
  for (const name of [model, 'unsloth/Llama-3.1-70B-Instruct-BF16']) {
    const { message, weights } = await asked(vllm(name, 'fp8'))
    expect([message, weights < 0.6 * plain]).toEqual(['starts', true])
  }
})
