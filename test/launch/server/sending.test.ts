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

describe('tokens are sent in the types that kernels take', () => {
  const expert8 = { mesh: { expert: 8 } }
  const phases = {
    prefill: { mode: 'prefill', promptLength: 2048, batchSequences: 8 },
    generate: { mode: 'generate', contextLength: 1024, batchSequences: 512 },
  }
  const node = (chip: string) => ({ chip, chips: 8 })
  const startOf = async (model: string, chip: string, mode: keyof typeof phases, more: object = {}) => {
    const asked = { model, hardware: node(chip), workload: phases[mode], ...more }
    const { launch } = await planOf(asked, expert8)
    return { flags: launch.sglang, command: launch.commands?.sglang?.command as string | undefined }
  }

  it('as they are stored, of fp8', async () => {
    for (const mode of ['prefill', 'generate'] as const) {
      const { command } = await startOf('deepseek-v3', 'h200-sxm', mode)
      expect(command).toContain('--moe-a2a-backend deepep')
      expect(command).not.toMatch(/--moe-runner-backend|BF16_DISPATCH/)
    }
  })

  it('in 16 bits to DeepGEMM, of bf16', async () => {
    for (const mode of ['prefill', 'generate'] as const) {
      const { command } = await startOf('qwen3-30b-a3b', 'h200-sxm', mode)
      expect(command).toMatch(
        /SGLANG_DEEPEP_BF16_DISPATCH=1 .*--moe-a2a-backend deepep --moe-runner-backend deep_gemm/,
      )
    }
  })

  it('to kernels for few tokens alone, of NVFP4', async () => {
    const { command } = await startOf('nvidia/DeepSeek-R1-FP4', 'b200-sxm', 'generate')
    expect(command).toMatch(
      /SGLANG_DEEPEP_BF16_DISPATCH=1 .*--moe-runner-backend flashinfer_cutedsl --deepep-mode low_latency/,
    )
    const { flags } = await startOf('nvidia/DeepSeek-R1-FP4', 'b200-sxm', 'prefill')
    expect(flags.unsupported.join()).toMatch(
      /sends no tokens to experts in fp4.*in prefill.*stored by modelopt/,
    )
  })

  it('to DeepGEMM, of experts in fp4 beside fp8', async () => {
    const { command } = await startOf('deepseek-v4-flash', 'b200-sxm', 'generate')
    expect(command).toContain('--moe-a2a-backend deepep --moe-runner-backend deep_gemm')
  })

  it.each([
    ['moonshotai/Kimi-K2-Thinking', 'h200-sxm', /in int4 .*stored by compressed-tensors/],
    ['zai-org/GLM-4.5-FP8', 'h200-sxm', /in fp8 .*stored by compressed-tensors/],
    ['qwen3-30b-a3b', 'a100-80g-sxm', /in bf16 .*on a100-80g-sxm/],
    ['deepseek-v4-flash', 'h200-sxm', /in fp4 with matmuls in fp8/],
  ])('and in no others: not of %s on %s', async (model, chip, reason) => {
    const { flags, command } = await startOf(model, chip, 'generate')
    expect(command).toBeUndefined()
    expect(flags.unsupported.join()).toMatch(reason)
  })

  it.each(['bf16', 'fp8'] as const)('by MoRI in %s, without a runner of its own', async (weights) => {
    const precision = { weights, compute: weights }
    const { command } = await startOf('qwen3-30b-a3b', 'mi300x', 'generate', { precision })
    expect(command).toMatch(/SGLANG_USE_AITER=1 .*--moe-a2a-backend mori/)
    expect(command).not.toMatch(/--moe-runner-backend|DEEPEP/)
  })
})
