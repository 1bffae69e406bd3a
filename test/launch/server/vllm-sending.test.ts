/** Commands of vLLM that send tokens to experts say what its kernels need in variables of the shell, and files without it are refused. */
import { describe, expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

const few = { mode: 'generate', contextLength: 1024, batchSequences: 512 }
const many = { mode: 'prefill', promptLength: 2048, batchSequences: 8 }

async function launched(asked: object, plan: object) {
  const { status, body } = await agent
    .post('/evaluate')
    .send({ assumptions: { frameworks: ['vllm'] }, ...asked, plan })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  const { vllm: flags, commands } = body.plan.launch
  return { flags, command: commands?.vllm?.command as string | undefined, precision: body.precision }
}

async function checked(vllm: string, asked: object) {
  const { status, body } = await agent.post('/validate').send({ workload: few, ...asked, plan: { vllm } })
  expect([status, body.errors]).toEqual([200, undefined])
  const { ok, message } = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
  return { ok, message: message as string, warnings: (body.warnings as string[]).join('\n') }
}

describe('MoRI, on GPUs of AMD,', () => {
  const amd = (chip: string) => ({ hardware: { chip, chips: 8 } })
  const words = 'vllm serve deepseek-ai/DeepSeek-R1 -dp 8 --enable-expert-parallel --all2all-backend'

  it.each([
    ['mi300x', few, 'mori_low_latency'],
    ['mi355x', many, 'mori_high_throughput'],
  ])("is written with AITER's kernels: %s, %j", async (chip, workload, backend) => {
    const asked = { model: 'deepseek-r1', ...amd(chip), workload }
    const { command } = await launched(asked, { mesh: { expert: 8 } })
    expect(command).toMatch(new RegExp(`^VLLM_ROCM_USE_AITER=1 vllm serve .*--all2all-backend ${backend}`))
  })

  it('is not written without them, nor they without it', async () => {
    const gathers = { layout: { attention: 'copied-all/batch/absorbed', experts: 'copied-all/spread' } }
    const { command } = await launched(
      { model: 'deepseek-r1', ...amd('mi300x'), workload: few },
      { mesh: { tensor: 8 }, ...gathers },
    )
    expect(command).not.toMatch(/AITER|mori/)
  })

  it.each([
    ['nothing', '', /VLLM_ROCM_USE_AITER=1 alone/],
    ['nothing for experts', 'VLLM_ROCM_USE_AITER=1 VLLM_ROCM_USE_AITER_MOE=0 ', /_AITER_MOE=1 alone/],
    [
      'shared experts among the others',
      'export VLLM_ROCM_USE_AITER=1 VLLM_ROCM_USE_AITER_FUSION_SHARED_EXPERTS=1\n',
      /_FUSION_SHARED_EXPERTS=0 alone/,
    ],
  ])('does not start where the text sets %s', async (_, before, reason) => {
    const { ok, message } = await checked(`${before}${words} mori_low_latency`, amd('mi300x'))
    expect([ok, message]).toEqual([false, expect.stringMatching(reason)])
  })

  it.each([
    ['the command', `VLLM_ROCM_USE_AITER=1 ${words} mori`],
    ['the script', `export VLLM_ROCM_USE_AITER=True\n${words} mori_high_throughput`],
    ['a container', `docker run -e VLLM_ROCM_USE_AITER=1 --entrypoint bash img -c '${words} mori'`],
  ])('starts where %s sets it', async (_, text) => {
    const { ok, warnings } = await checked(text, amd('mi300x'))
    expect([ok, warnings]).toEqual([true, expect.not.stringMatching(/AITER/)])
  })

  it.each([
    ['an image', `docker run --entrypoint bash rocm/vllm:latest -c '${words} mori'`],
    ['a file that is sourced', `source ./env.sh\n${words} mori`],
    [
      'a manifest with an image',
      `apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, image: rocm/vllm, command: [bash, -c, '${words} mori']}]}`,
    ],
  ])('may start where %s may set it, which a note says', async (_, text) => {
    const { ok, warnings } = await checked(text, amd('mi300x'))
    expect([ok, warnings]).toEqual([true, expect.stringMatching(/AITER=1 alone, which this text does not/)])
  })

  it('asks for nothing where tokens are gathered', async () => {
    const { ok } = await checked(`${words} allgather_reducescatter`, amd('mi300x'))
    expect(ok).toBe(true)
  })
})

describe('experts in MXFP4 to which tokens are sent', () => {
  const b200 = { hardware: { chip: 'b200-sxm', chips: 8 } }
  const asked = { model: 'gpt-oss-120b', ...b200, workload: few }
  const sent = { mesh: { expert: 8 } }
  const kernels = 'VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8'
  const words = (backend: string) =>
    `vllm serve openai/gpt-oss-120b -dp 8 --enable-expert-parallel --all2all-backend ${backend}`

  it('few at once are unpacked to bf16, and not multiplied beside fp8', async () => {
    const { flags } = await launched(asked, sent)
    expect(flags.unsupported.join()).toMatch(/unpacks experts in mxfp4 to bf16 .* for few tokens send/)
    const { command } = await launched({ ...asked, precision: { compute: 'bf16' } }, sent)
    expect(command).toMatch(/^vllm serve .*--all2all-backend deepep_low_latency/)
  })

  it('many at once are multiplied beside fp8', async () => {
    const { command } = await launched({ ...asked, workload: many }, sent)
    expect(command).toMatch(new RegExp(`^${kernels}=1 vllm .*deepep_high_throughput`))
  })

  it('are not, in a file that asks for kernels which do not take them', async () => {
    const { ok, message } = await checked(`${kernels}=1 ${words('deepep_low_latency')}`, b200)
    expect([ok, message]).toEqual([false, expect.stringMatching(/MXFP4_MXFP8=0 alone \(.*FlashInfer/)])
  })

  it.each([
    ['by kernels of its own choice', words('deepep_low_latency'), /all matmuls are costed in bf16/],
    ['many at once', `${kernels}=1 ${words('deepep_high_throughput')}`, /matmuls .*fp8/],
    ['gathered', `${kernels}=1 ${words('allgather_reducescatter')}`, /matmuls .*fp8/],
  ])('start %s, and are costed so', async (_, text, costed) => {
    const { ok, warnings } = await checked(text, b200)
    expect([ok, warnings]).toEqual([true, expect.stringMatching(costed)])
  })

  it('of another model start beside a variable that is for MXFP4 alone', async () => {
    const text = `${kernels}=1 ${words('deepep_low_latency').replace('openai/gpt-oss-120b', 'deepseek-ai/DeepSeek-R1')}`
    expect((await checked(text, b200)).ok).toBe(true)
  })
})

describe('DeepEP on trays of one NVLink domain', () => {
  const lowLatency = 'VLLM_DEEPEP_LOW_LATENCY_USE_MNNVL'
  const intraNode = 'VLLM_DEEPEP_HIGH_THROUGHPUT_FORCE_INTRA_NODE'
  const rack = (chips: number) => ({ hardware: { chip: 'gb200-nvl72', chips } })

  it.each([
    ['few tokens', 16, few, lowLatency],
    ['many tokens of two trays', 8, many, intraNode],
  ])('is told to stay on NVLink: %s', async (_, chips, workload, variable) => {
    const asked = { model: 'deepseek-r1', ...rack(chips), workload }
    const { command } = await launched(asked, { mesh: { expert: chips } })
    expect(command).toContain(`${variable}=1 `)
    expect(command?.match(/VLLM_DEEPEP\w+/g)).toEqual([variable])
  })

  it.each([
    ['on one tray', { model: 'qwen3-30b-a3b', ...rack(4) }, 4],
    ['in a node', { model: 'deepseek-r1', hardware: { chip: 'h200-sxm', chips: 8 } }, 8],
    ['over nodes', { model: 'deepseek-r1', hardware: { chip: 'h200-sxm', chips: 16 } }, 16],
  ])('is told nothing %s', async (_, asked, chips) => {
    const { command } = await launched({ ...asked, workload: few }, { mesh: { expert: chips } })
    expect(command).toMatch(/deepep_low_latency/)
    expect(command).not.toMatch(/VLLM_DEEPEP/)
  })

  it('has no kernels for many tokens on more than two', async () => {
    const { status, body } = await agent.post('/evaluate').send({
      ...{ model: 'deepseek-r1', ...rack(16), workload: { ...many, batchSequences: 16 } },
      ...{ assumptions: { frameworks: ['vllm'] }, plan: { mesh: { expert: 16 } } },
    })
    expect(status).toBe(200)
    expect(body.plan.launch.vllm.unsupported.join()).toMatch(/at most 8 chips of several trays, not among 16/)
  })

  const words =
    'vllm serve deepseek-ai/DeepSeek-R1 -dp 16 --data-parallel-size-local 4 --enable-expert-parallel --all2all-backend deepep_low_latency'

  it.each([
    ['without it', '', true],
    ['with it', `${lowLatency}=1 `, false],
    ['with it off', `export ${lowLatency}=0\n`, true],
  ])('has a note in a file %s', async (_, before, noted) => {
    const { ok, warnings } = await checked(`${before}${words}`, rack(16))
    expect(ok).toBe(true)
    expect(/over the network between hosts of 4 chips without VLLM_DEEPEP_LOW/.test(warnings)).toBe(noted)
  })

  it('has none in a file for nodes that NVLink does not join', async () => {
    const text = words.replace('local 4', 'local 8')
    const { warnings } = await checked(text, { hardware: { chip: 'h200-sxm', chips: 16 } })
    expect(warnings).not.toMatch(/over the network/)
  })
})
