/** A server of vLLM has room for one request of its longest, in whichever mode it is asked about, and whichever phase it has. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const vllm = `vllm serve meta-llama/Llama-3.3-70B-Instruct --quantization fp8 --tensor-parallel-size 1 --max-num-seqs 2 --max-num-batched-tokens 8192 --gpu-memory-utilization 0.93 --dtype bfloat16 --kv-cache-dtype fp8 --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'`
const sglang =
  'python3 -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --quantization fp8 --tp-size 1 --context-length 131072 --max-running-requests 2 --mem-fraction-static 0.93 --kv-cache-dtype fp8_e4m3'

const phases = [
  { mode: 'prefill', promptLength: 4096, batchSequences: 1 },
  { mode: 'generate', meanContextLength: 4096, batchSequences: 2 },
  { mode: 'serve', promptLength: 4096, outputLength: 256 },
]

async function checked(workload: object, plan: object) {
  const { status, body } = await agent
    .post('/validate')
    .send({ hardware: { chip: 'h100', chips: 1 }, workload, plan })
  expect(status, JSON.stringify(body)).toBe(200)
  const named = (name: string) => body.checks.find((check: { readonly name: string }) => check.name === name)
  return { launched: named('launchableBy'), fits: named('fits') }
}

const refused = /does not start .* there is room for \d+ positions, and --max-model-len is 131072/

describe('a launch file', () => {
  it.each(phases)('of a server without room for its longest is refused: $mode', async (workload) => {
    const { launched, fits } = await checked(workload, { vllm: `${vllm} --max-model-len 131072` })
    expect([launched.ok, fits.ok]).toEqual([false, true])
    expect(launched.message).toMatch(refused)
    expect(launched.message.split('does not start')).toHaveLength(2)
    const shorter = await checked(workload, { vllm: `${vllm} --max-model-len 16384` })
    expect(shorter.launched.ok).toBe(true)
  })

  it('of a server that takes the longest that has room is not, nor is one of SGLang, which refuses long requests alone', async () => {
    const [prefill = {}] = phases
    expect((await checked(prefill, { vllm: `${vllm} --max-model-len auto` })).launched.ok).toBe(true)
    // The model's own length, where none is said.
    expect((await checked(prefill, { vllm })).launched.message).toMatch(refused)
    for (const workload of phases.slice(0, 2)) {
      expect((await checked(workload, { sglang })).launched.ok).toBe(true)
    }
  })
})

describe('a search', () => {
  const question = {
    model: 'llama-3.3-70b',
    hardware: { chip: 'h100', chips: 4 },
    precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
    top: 3,
  }
  const serving = { mode: 'serve', promptLength: 4096, outputLength: 256, disaggregated: true }

  it('writes no server of either phase that does not start', async () => {
    const { body } = await agent
      .post('/optimize')
      .send({ ...question, workload: { ...serving, contextLength: 131_072 } })
    expect(body.plans.length).toBeGreaterThan(0)
    for (const { prefill, generate, longestPositions } of body.plans) {
      expect(longestPositions).toBe(131_072)
      expect([prefill, generate].map(({ launch }) => Array.isArray(launch.vllm))).toEqual([true, true])
      expect(prefill.chipsPerInstance).toBeGreaterThan(1)
    }
    const { body: short } = await agent.post('/optimize').send({ ...question, workload: serving })
    const sizes = short.plans.map((plan: typeof short) => plan.prefill.chipsPerInstance)
    expect(sizes).toContain(1)
  })

  it('of one phase takes the chips that its longest request needs', async () => {
    const chipsOf = async (workload: object) => {
      const { body } = await agent.post('/optimize').send({
        ...{ ...question, workload, constraints: { data: 1, chips: { max: 4 } } },
        objective: 'throughputPerChip',
      })
      const [best] = body.plans
      expect(Array.isArray(best.launch.vllm)).toBe(true)
      return best.chips
    }
    const prefill = { mode: 'prefill', promptLength: 4096, batchSequences: 1 }
    const generate = { mode: 'generate', contextLength: 131_072, meanContextLength: 4096, batchSequences: 1 }
    expect(await chipsOf({ ...prefill, contextLength: 131_072 })).toBeGreaterThan(1)
    expect(await chipsOf(generate)).toBeGreaterThan(1)
  })
})
