/** Servers that read prompts behind cached prefixes have a usual step for those that find none, where there is memory for it. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

async function planOf(model: string, own: object, hardware: object = { chip: 'h100', chips: 8 }) {
  const workload = { mode: 'serve', promptLength: 32_768, outputLength: 256, disaggregated: true, ...own }
  const precision = { weights: 'fp8', compute: 'fp8' }
  const { body } = await agent.post('/optimize').send({ model, hardware, workload, precision, top: 1 })
  return body.plans[0]
}

const behind = (flags: readonly string[], option: string) => Number(flags[flags.indexOf(option) + 1])

it('is told a usual step where prefixes are cached, and what a miss takes is said', async () => {
  const { prefill, explanation } = await planOf('llama-3.3-70b', { cachedPrefixLength: 32_000 })
  const { vllm, sglang, 'tensorrt-llm': tensorrt, notes } = prefill.launch
  const told = [
    behind(vllm, '--max-num-batched-tokens'),
    behind(sglang, '--chunked-prefill-size'),
    behind(sglang, '--max-prefill-tokens'),
    tensorrt.max_num_tokens,
  ]
  for (const tokens of told) {
    expect(tokens).toBeGreaterThanOrEqual(2048)
    expect(tokens).toBeLessThanOrEqual(8192)
  }
  expect(notes.join()).toMatch(/finds no prefix.* steps of \d+ tokens.* the plan counts 768/)
  expect(explanation.join()).toMatch(/finds nothing cached.* 32768 tokens to read in place of 768/)
})

it('is told the plan’s own where none are', async () => {
  const { prefill, explanation } = await planOf('llama-3.3-70b', { promptLength: 768 })
  expect(behind(prefill.launch.vllm, '--max-num-batched-tokens') % 768).toBe(0)
  expect(explanation.join()).not.toContain('nothing cached')
})

it('TensorRT-LLM keeps no blocks of a model with states, unless the plan finds them kept', async () => {
  const caches = async (model: string, own: object) =>
    (await planOf(model, { promptLength: 4096, ...own })).prefill.launch['tensorrt-llm'].kv_cache_config
  expect(await caches('qwen3-next-80b-a3b', {})).toMatchObject({ enable_block_reuse: false })
  expect(await caches('qwen3-next-80b-a3b', { cachedPrefixLength: 2048 })).not.toHaveProperty(
    'enable_block_reuse',
  )
  expect(await caches('llama-3.3-70b', {})).not.toHaveProperty('enable_block_reuse')
})
