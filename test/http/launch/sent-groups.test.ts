/** DeepEP sends tokens among some numbers of ranks alone: no command is written for others, and one that somebody wrote is refused. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const generate = { mode: 'generate', contextLength: 2048, batchSequences: 'max' }
const prefill = { mode: 'prefill', promptLength: 2048, batchSequences: 160 }

const onBoards = (chips: number) => ({ chip: 'h200-sxm', chips })
const onTrays = (chips: number) => ({ chip: 'gb200-nvl72', chips })

async function launchOf(hardware: object, workload: object, expert: number) {
  const { status, body } = await agent.post('/evaluate').send({
    ...{ model: 'deepseek-v2-lite', hardware, workload, assumptions: { frameworks: ['vllm', 'sglang'] } },
    plan: { mesh: { expert }, layout: { experts: '1d/dispatched' } },
  })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body.plan.launch
}

describe('a plan that sends tokens', () => {
  it.each([
    ['few tokens', onBoards(3), generate, 3, []],
    ['few tokens, in nodes of eight', onBoards(24), generate, 24, []],
    ['few tokens', onTrays(12), generate, 12, ['vllm', 'sglang']],
    ['few tokens', onTrays(20), generate, 20, ['vllm', 'sglang']],
    ['few tokens', onTrays(32), generate, 32, []],
    ['many tokens', onBoards(4), prefill, 4, []],
    ['many tokens', onBoards(3), prefill, 3, ['vllm', 'sglang']],
    ['many tokens, of three nodes', onBoards(24), prefill, 24, ['sglang']],
    ['many tokens, of five nodes', onBoards(40), prefill, 40, ['vllm', 'sglang']],
    ['many tokens, on two trays', onTrays(8), prefill, 8, []],
    ['many tokens, on four trays', onTrays(16), prefill, 16, ['vllm', 'sglang']],
  ] as const)('%s: %j, %j among %i, is refused by %j', async (_, hardware, workload, expert, by) => {
    const launch = await launchOf(hardware, workload, expert)
    const refused = ['vllm', 'sglang'].filter((name) =>
      /DeepEP, whose kernels/.test(`${launch[name].unsupported}`),
    )
    expect(refused).toEqual(by)
  })

  it('says the kernels of SGLang where those for many tokens are not made for the group', async () => {
    const modeOf = async (expert: number) => {
      const { sglang } = (await launchOf(onBoards(expert), generate, expert)).commands
      return /--deepep-mode (\S+)/.exec(sglang.command)?.[1] ?? null
    }
    expect(await modeOf(24)).toBe('low_latency')
    expect(await modeOf(16)).toBeNull()
  })
})

const vllm = (words: string) => ({
  vllm: `vllm serve deepseek-ai/DeepSeek-V2-Lite --enable-expert-parallel ${words}`,
})
const sglang = (ranks: number, words: string) => ({
  sglang: `python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V2-Lite --tp-size ${ranks} --ep-size ${ranks} --dp-size ${ranks} --enable-dp-attention --moe-a2a-backend deepep --nnodes ${Math.ceil(ranks / 8)} --node-rank 0 --dist-init-addr h:5000 ${words}`,
})

async function checked(launch: object, chips: number) {
  const { status, body } = await agent.post('/validate').send({
    ...{ model: 'deepseek-v2-lite', hardware: onBoards(chips) },
    workload: { mode: 'generate', contextLength: 2048, batchSequences: 80 },
    ...{ plan: launch, require: { launchableBy: Object.keys(launch) } },
  })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
}

describe('a command that sends tokens', () => {
  it.each([
    [vllm('-dp 3 --all2all-backend deepep_high_throughput'), 3],
    [vllm('-dp 40 --data-parallel-size-local 8 --all2all-backend deepep_high_throughput'), 40],
    [sglang(40, '--deepep-mode normal'), 40],
    [sglang(3, ''), 3],
  ])('is refused: %j', async (launch, chips) => {
    const { ok, message } = await checked(launch, chips)
    expect(ok).toBe(false)
    expect(message).toMatch(/does not run: DeepEP's kernels for many tokens send among 2, 4, 8, /)
  })

  it.each([
    [vllm('-dp 3 --all2all-backend deepep_low_latency'), 3],
    [vllm('-dp 24 --data-parallel-size-local 8 --all2all-backend deepep_high_throughput'), 24],
    [sglang(40, '--deepep-mode low_latency'), 40],
    [sglang(24, '--disaggregation-mode decode'), 24],
    [sglang(16, ''), 16],
  ])('may start: %j', async (launch, chips) => {
    expect((await checked(launch, chips)).message ?? '').not.toMatch(/DeepEP/)
  })
})
