/** Servers and workers made for one phase: as vLLM and Dynamo start them, whichever phases are asked. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const model = 'deepseek-ai/DeepSeek-V3-0324'

async function asked(plan: Record<string, string>, workload: Record<string, unknown>) {
  const { status, body } = await agent.post('/validate').send({
    ...{ hardware: { chip: 'h200-sxm', chips: 16 }, workload, plan },
  })
  const check = body.checks?.find(({ name }: { name: string }) => name === 'launchableBy')
  return { status, check, notes: String(body.read?.notes), errors: JSON.stringify(body.errors) }
}

const serve = { mode: 'serve', promptLength: 2048, outputLength: 256 }
const whole =
  '--tensor-parallel-size 1 --data-parallel-size 16 --data-parallel-size-local 8 --enable-expert-parallel'

// vllm-project/vllm 0176250, docs/serving/expert_parallel_deployment.md: "Example: 2-Node Deployment", and its backends
it.each([
  ['deepep_low_latency', `vllm serve ${model} ${whole} --all2all-backend deepep_low_latency`, /few tokens/],
  [
    'deepep_high_throughput',
    `vllm serve ${model} ${whole} --all2all-backend deepep_high_throughput`,
    /without which starting kernels/,
  ],
  ['a variable', `VLLM_ALL2ALL_BACKEND=deepep_low_latency vllm serve ${model} ${whole}`, /few tokens/],
])('one server of both phases starts with %s, and is told', async (_, vllm, note) => {
  const { check, notes } = await asked({ vllm }, serve)
  expect([check.ok, check.message]).toEqual([
    true,
    expect.stringMatching(/No flags are written for vllm: .*gather/),
  ])
  expect(notes).toMatch(note)
})

// ai-dynamo/dynamo 0044eb9, recipes/deepseek-r1/vllm/disagg/deploy_hopper_16gpu.yaml
const words = '--model deepseek-ai/DeepSeek-R1 --data-parallel-size 16 --enable-expert-parallel'
const decode = `python3 -m dynamo.vllm ${words} --all2all-backend deepep_low_latency --max-num-seqs 512`
const prefill = (role: string) =>
  `python3 -m dynamo.vllm ${words} ${role} --all2all-backend deepep_high_throughput`

it.each([
  ['the last of them reads', `${decode}\n${prefill('--is-prefill-worker')}`, 'prefill'],
  ['the last of them generates', `${prefill('--disaggregation-mode prefill')}\n${decode}`, 'generate'],
  ['one alone', decode.replace('serve', '').concat(' --disaggregation-mode decode'), 'generate'],
])('workers of Dynamo that share the work are none of both phases: %s', async (_, vllm, mode) => {
  const { status, errors } = await asked({ vllm }, serve)
  expect([status, errors]).toEqual([
    422,
    expect.stringMatching(`is one of two phases: ask for it in mode ${mode}`),
  ])
})

it('a worker that does not start says so beside its phase', async () => {
  const vllm = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
spec:
  services:
    decode:
      resources: {limits: {gpu: "4"}}
      extraPodSpec:
        mainContainer:
          image: a
          command: [python3, -m, dynamo.vllm, --model, Qwen/Qwen3-32B, --tensor-parallel-size, "8", --is-decode-worker]
`
  const { status, errors } = await asked({ vllm }, serve)
  expect([status, errors]).toEqual([
    422,
    expect.stringMatching(/--mode generate --chips N, then --mode prefill/),
  ])
  expect(errors).toMatch(/takes 8 GPUs, and what it is started on has 4/)
})

it('a worker is checked in its own phase', async () => {
  const vllm = `${decode}\n${prefill('--is-prefill-worker')}`
  const generate = { mode: 'generate', contextLength: 4096, batchSequences: 64 }
  const read = { mode: 'prefill', promptLength: 2048, batchSequences: 16 }
  for (const workload of [generate, read]) {
    const { check, errors } = await asked({ vllm }, workload)
    expect([check?.ok, errors]).toEqual([true, undefined])
  }
})

// vllm-project/vllm, docs/features/mooncake_connector_usage.md and nixl_connector_usage.md
const served = (role: string, more = '') =>
  `vllm serve meta-llama/Llama-3.3-70B-Instruct -tp 8 ${more} --kv-transfer-config '{"kv_connector":"NixlConnector", "kv_role": "kv_${role}"}'`

it.each([
  ['a producer', served('producer'), 'kv_producer', 'prefill'],
  ['a consumer', served('consumer'), 'kv_consumer', 'generate'],
  ['the last of a pair', `${served('producer')}\n${served('consumer')}`, 'kv_consumer', 'generate'],
  [
    'by keys behind a point',
    'vllm serve org/m -tp 8 --kv-transfer-config.kv_role kv_producer',
    'kv_producer',
    'prefill',
  ],
])('%s of caches under vLLM is none of both phases', async (_, vllm, role, mode) => {
  const { status, errors } = await asked({ vllm }, serve)
  expect([status, errors]).toEqual([
    422,
    expect.stringMatching(`kv_role ${role} is one of two phases: ask for it in mode ${mode}`),
  ])
})

it('of a producer and a consumer that of the phase is read, in either order', async () => {
  const pair = [served('producer', '--max-num-batched-tokens 16384'), served('consumer', '--max-num-seqs 48')]
  const generate = { mode: 'generate', contextLength: 4096 }
  for (const vllm of [pair.join('\n'), pair.toReversed().join('\n')]) {
    const { status, body } = await agent
      .post('/evaluate')
      .send({ hardware: { chip: 'h200-sxm', chips: 8 }, workload: generate, plan: { vllm } })
    expect([status, body.plan?.batchSequences]).toEqual([200, 48])
  }
})

it('one that may be either is counted as both where both are asked, and as the one that is', async () => {
  const vllm = served('both')
  expect((await asked({ vllm }, serve)).notes).toMatch(/may be that of a server of one phase or of both/)
  const generate = { mode: 'generate', contextLength: 4096, batchSequences: 8 }
  const prompts = { mode: 'prefill', promptLength: 2048, batchSequences: 8 }
  for (const workload of [generate, prompts]) {
    const { status, notes } = await asked({ vllm }, workload)
    expect([status, notes]).toEqual([200, expect.not.stringMatching(/kv-transfer/)])
  }
})
