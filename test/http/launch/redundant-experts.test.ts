/** Copies of experts that a server is told to keep count in its memory, however they are said, and not where it keeps none. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const hardware = { chip: 'h100-sxm', chips: 16 }
const workload = { mode: 'generate', contextLength: 4096, batchSequences: 720 }

async function asked(plan: Record<string, string>) {
  const { status, body } = await agent.post('/validate').send({ hardware, workload, plan })
  expect([status, body.errors]).toEqual([200, undefined])
  return { copies: body.read.request.assumptions.redundantExperts, plan: body.plan, checks: body.checks }
}

const whole =
  'vllm serve deepseek-ai/DeepSeek-V3 --data-parallel-size 16 --data-parallel-size-local 8 --enable-expert-parallel --all2all-backend deepep_low_latency'
const sglang =
  'python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp-size 16 --nnodes 2 --node-rank 0 --dist-init-addr a:1'

it.each<[string, string]>([
  ['vllm', `${whole} --enable-eplb --eplb-config.num_redundant_experts 32`],
  ['vllm', `${whole} --enable-eplb --eplb-config '{"window_size": 9, "num_redundant_experts": 32}'`],
  ['vllm', `${whole} --enable-eplb --num-redundant-experts 32`],
  ['sglang', `${sglang} --ep-size 16 --ep-num-redundant-experts 32`],
  [
    'sglang',
    `${sglang} --dp-size 16 --enable-dp-attention --moe-a2a-backend deepep --ep-num-redundant-experts=32`,
  ],
])('are read: %s %s', async (framework, text) => {
  const { copies, plan } = await asked({ [framework]: text })
  expect([copies, plan.redundantExperts]).toEqual([32, 32])
})

it('take room, which other chips than those without them lack', async () => {
  const fits = async (more: string) =>
    (await asked({ vllm: `${whole} ${more}` })).checks.find(({ name }: { name: string }) => name === 'fits')
  const [none, some] = [await fits('--enable-eplb'), await fits('--enable-eplb --num-redundant-experts 32')]
  expect([none.ok, some.ok]).toEqual([true, false])
})

it.each<[string, string]>([
  ['vllm', `${whole} --eplb-config.num_redundant_experts 32`],
  ['vllm', `${whole.replace('--enable-expert-parallel', '')} --enable-eplb --num-redundant-experts 32`],
  ['vllm', `${whole} --enable-eplb`],
  ['sglang', `${sglang} --ep-num-redundant-experts 32`],
])('are none: %s %s', async (framework, text) => {
  expect((await asked({ [framework]: text })).copies).toBeUndefined()
})
