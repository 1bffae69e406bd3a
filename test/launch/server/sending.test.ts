/** Commands of SGLang that send tokens to experts say what its kernels ask for: how many tokens, and in which types. */
import { describe, expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

const deployment = { mode: 'serve', promptLength: 2048, outputLength: 512, disaggregated: false }
const sglang = { frameworks: ['sglang'] }

const planOf = async (asked: object, plan: object) => {
  const { status, body } = await agent.post('/evaluate').send({ assumptions: sglang, ...asked, plan })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body.plan
}

const flagged = (flags: readonly string[], option: string) => flags[flags.indexOf(option) + 1]

describe('MoRI, on GPUs of AMD,', () => {
  const hardware = { chip: 'mi355x', chips: 8 }
  const generate = { mesh: { expert: 8 } }
  const variable = /SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK=(\d+) /

  it.each([
    [deployment, 8 * 4096, null],
    [deployment, 8 * 8512, 8512],
    [{ ...deployment, promptLength: 20_000 }, 8 * 16_384, 16_384],
  ] as const)('has buffers for the chunk of a group: %j, %i tokens in a step', async (workload, stepTokens, buffers) => {
    const plan = await planOf(
      { model: 'deepseek-v3', hardware, workload },
      { disaggregated: false, generate, maxSequences: 512, stepTokens },
    )
    const { command } = plan.launch.commands.sglang
    expect(command).toMatch(/SGLANG_USE_AITER=1 MORI_SHMEM_MODE=ISOLATION .*--moe-a2a-backend mori/)
    expect(variable.exec(command)?.[1] ?? null).toBe(buffers === null ? null : String(buffers))
    expect(Number(flagged(plan.launch.sglang, '--chunked-prefill-size'))).toBe(stepTokens)
  })

  it('has them for whole prompts where these are read at once, the longest among them', async () => {
    const workload = { mode: 'prefill', promptLength: 9000, batchSequences: 8 }
    const plan = await planOf({ model: 'deepseek-v3', hardware, workload }, generate)
    expect(plan.launch.sglang).toContain('-1')
    expect(variable.exec(plan.launch.commands.sglang.command)?.[1]).toBe('9000')
  })

  it('has those of a server that only generates for its sequences', async () => {
    const workload = { mode: 'generate', contextLength: 1024, batchSequences: 2048 }
    const plan = await planOf({ model: 'deepseek-v3', hardware, workload }, generate)
    const { command } = plan.launch.commands.sglang
    expect(command).toContain('SGLANG_USE_AITER=1 ')
    expect(command).not.toMatch(variable)
  })

  it('is told nothing where tokens are not sent', async () => {
    const workload = { mode: 'generate', contextLength: 1024, batchSequences: 64 }
    const plan = await planOf({ model: 'llama-3-70b', hardware, workload }, { mesh: { tensor: 8 } })
    expect(plan.launch.commands.sglang.command).not.toMatch(/AITER|MORI/)
  })
})
