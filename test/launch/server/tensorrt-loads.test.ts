/** TensorRT-LLM is told to load what its loader takes, and no other checkpoint. */
import { expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

const launchOf = async (model: unknown, tensor: number, more: object = {}) => {
  const { status, body } = await agent.post('/evaluate').send({
    ...{ model, hardware: { chip: 'b200-sxm', chips: 8 }, ...more },
    ...{ workload: { mode: 'generate', contextLength: 2048, batchSequences: 8 }, plan: { mesh: { tensor } } },
  })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body.plan.launch['tensorrt-llm']
}

it.each([
  ['Qwen/Qwen3-32B-AWQ', 2, /Qwen3-32B-AWQ in int4, which is stored by awq or compressed-tensors/],
  ['Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4', 4, /stored by gptq/],
  ['moonshotai/Kimi-K2-Thinking', 8, /in int4, which is stored by compressed-tensors/],
  ['meta-llama/Llama-3.1-405B-FP8', 8, /stored by fbgemm_fp8: it loads \S+FP8\S*, which model may name/],
])('%s is refused', async (model, tensor, reason) => {
  expect((await launchOf(model, tensor)).unsupported.join()).toMatch(reason)
})

it('a config.json of such a method is refused', async () => {
  const quantization_config = { quant_method: 'awq', bits: 4, group_size: 128 }
  const config = {
    ...{ model_type: 'llama', hidden_size: 8192, num_hidden_layers: 80, num_attention_heads: 64 },
    ...{ num_key_value_heads: 8, intermediate_size: 28_672, vocab_size: 128_256, quantization_config },
  }
  expect((await launchOf({ huggingFace: config }, 8)).unsupported.join()).toMatch(/stored by awq/)
})

it.each([
  ['deepseek-ai/DeepSeek-V3', 8],
  ['nvidia/DeepSeek-R1-FP4', 8],
  ['nvidia/Llama-3.1-405B-Instruct-FP8', 8],
  ['RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic', 4],
  ['openai/gpt-oss-120b', 8],
  ['llama-3.3-70b', 4],
])('%s is loaded', async (model, tensor) => {
  expect(await launchOf(model, tensor)).not.toHaveProperty('unsupported')
})
