/** Caches in fp8_e5m2 are refused where vLLM has scales for caches beside the weights. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

async function launchable(model: string, type: string) {
  const { body } = await agent.post('/validate').send({
    hardware: { chip: 'h100-sxm', chips: 2 },
    workload: { mode: 'serve', promptLength: 2048, outputLength: 256 },
    plan: { vllm: `vllm serve ${model} -tp 2 --max-model-len 8192 --kv-cache-dtype ${type}` },
  })
  const check = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
  return { ok: check.ok, message: check.message, told: body.warnings?.join() ?? '' }
}

it('of a checkpoint in fp8, with the type that it takes', async () => {
  const { ok, message } = await launchable('Qwen/Qwen3-32B-FP8', 'fp8_e5m2')
  expect(ok).toBe(false)
  expect(message).toMatch(
    /fp8_e5m2 is refused for Qwen\/Qwen3-32B-FP8, which is stored by fp8: --kv-cache-dtype fp8/,
  )
  expect((await launchable('Qwen/Qwen3-32B-FP8', 'fp8_e4m3')).ok).toBe(true)
})

it('and not of one in 16 bits; of one whose method is not known it is told', async () => {
  expect((await launchable('Qwen/Qwen3-32B', 'fp8_e5m2')).ok).toBe(true)
  const { ok, told } = await launchable('someone/Qwen3-32B-FP8', 'fp8_e5m2')
  expect(ok).toBe(true)
  expect(told).toContain('unless their checkpoint is one of compressed-tensors')
})
