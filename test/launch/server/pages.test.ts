/** Parts of prompts are whole pages of a server's caches, in each group of attention: of plans that are found, and of those that somebody writes. */
import { describe, expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

interface Asked {
  readonly model: string
  readonly hardware: object
  readonly assumptions: object
  readonly workload: object
  readonly precision?: object
}

const deployment = { mode: 'serve', promptLength: 4096, outputLength: 512, disaggregated: false }
const of = (framework: string) => ({ frameworks: [framework] })
const node = (chip: string) => ({ chip, chips: 8 })

const planOf = async (asked: Asked, plan?: object) => {
  const { status, body } = await agent
    .post(plan ? '/evaluate' : '/optimize')
    .send(plan ? { ...asked, plan } : { ...asked, top: 1 })
  expect(status, JSON.stringify(body)).toBe(200)
  return plan ? body.plan : body.plans[0]
}

const valueIn = (flags: readonly string[], option: string) => {
  const at = flags.indexOf(option)
  return at < 0 ? 1 : Number(flags[at + 1])
}
const chunkEach = (flags: readonly string[]) =>
  valueIn(flags, '--chunked-prefill-size') /
  (flags.includes('--enable-dp-attention') ? valueIn(flags, '--dp-size') : 1)

/** With limits that want small steps, and without any. */
const limits = [{}, { maxTimePerOutputTokenSeconds: 0.06 }, { maxTimePerOutputTokenSeconds: 0.12 }]

describe('a chunk of SGLang', () => {
  it.each([
    ['deepseek-v3.2', 'h200-sxm', 64],
    ['deepseek-v4-flash', 'h200-sxm', 256],
    ['qwen3-30b-a3b', 'b200-sxm', 64],
    ['llama-3-70b', 'b200-sxm', 64],
  ])('of %s on %s is pages of %i positions in each group, as the plan has it', async (model, chip, page) => {
    for (const limit of limits) {
      const workload = { ...deployment, ...limit }
      const asked = { model, hardware: node(chip), workload, assumptions: of('sglang') }
      const plan = await planOf(asked)
      const flags: readonly string[] = plan.launch.sglang
      expect(chunkEach(flags) % page, flags.join(' ')).toBe(0)
      expect(valueIn(flags, '--chunked-prefill-size')).toBe(plan.stepTokens / plan.generate.mesh.data)
      expect(plan.launch.notes.join()).not.toContain('whole pages')
    }
  })

  it('that somebody wants otherwise is the next that is whole, and a note says so', async () => {
    const asked = {
      ...{ model: 'deepseek-v3.2', hardware: node('h200-sxm'), workload: deployment },
      assumptions: of('sglang'),
    }
    const plan = await planOf(asked, {
      ...{ disaggregated: false, maxSequences: 64, stepTokens: 8 * 1037 },
      generate: {
        mesh: { tensor: 8 },
        layout: {
          attention: 'copied-all/batch/absorbed',
          experts: 'copied-all/spread',
          mlp: 'copied-all',
          unembedding: 'copied-all',
        },
      },
    })
    expect(plan.stepTokens).toBe(8 * 1037)
    expect(chunkEach(plan.launch.sglang)).toBe(1088)
    expect(plan.launch.notes).toContainEqual(expect.stringMatching(/told 1088 tokens.*the plan has 1037/))
  })
})

it.each([
  ['sglang', 'sglang', 'deepseek-v3.2', 'h200-sxm'],
  ['sglang', 'sglang', 'qwen3-30b-a3b', 'b200-sxm'],
  ['tensorrt-llm', 'tensorrtLlm', 'deepseek-v3.2', 'h200-sxm'],
  ['vllm', 'vllm', 'qwen3-30b-a3b', 'b200-sxm'],
])('a command of %s is read as a step of as many tokens as the plan has', async (framework, key, model, chip) => {
  for (const limit of limits) {
    const workload = { ...deployment, ...limit, contextLength: 4608 }
    const asked = { model, hardware: node(chip), workload, assumptions: of(framework) }
    const plan = await planOf(asked)
    const { command, files } = plan.launch.commands[framework]
    const [{ text } = { text: null }] = files
    const read = await planOf(asked, { [key]: text === null ? command : { command, config: text } })
    expect(read.stepTokens, command).toBe(plan.stepTokens)
    expect(read.requestsPerSecond / plan.requestsPerSecond, command).toBeCloseTo(1, 9)
  }
})

describe('a command of SGLang', () => {
  const command = (chunk: number, more = '') =>
    `python3 -m sglang.launch_server --model-path m --tp-size 8 --dp-size 8 --enable-dp-attention --chunked-prefill-size ${chunk} --enable-mixed-chunk ${more}`
  const check = async (model: string, chip: string, text: string) => {
    const asked = { model, hardware: node(chip), workload: deployment, plan: { sglang: text } }
    return (await agent.post('/validate').send(asked)).body
  }

  it.each([
    ['deepseek-v3.2', 'h200-sxm', 8296, 8192],
    ['deepseek-v3.2', 'b200-sxm', 8296, 8192],
    ['deepseek-v4-flash', 'h200-sxm', 8704, 8192],
    ['qwen3-30b-a3b', 'b200-sxm', 8296, 8192],
  ])('of %s on %s with %i tokens does not start, and with %i does', async (model, chip, chunk, whole) => {
    const refused = JSON.stringify(await check(model, chip, command(chunk)))
    expect(refused).toMatch(new RegExp(`does not start: --chunked-prefill-size ${chunk}.*no whole pages`))
    expect(JSON.stringify(await check(model, chip, command(whole)))).not.toContain(
      'does not start: --chunked',
    )
  })

  it.each([
    ['qwen3-30b-a3b', 'h200-sxm', ''],
    ['qwen3-30b-a3b', 'b200-sxm', '--attention-backend flashinfer'],
    ['nemotron-3-nano-30b-a3b', 'b200-sxm', ''],
    ['deepseek-v3.2', 'mi355x', ''],
  ])('of %s on %s is not refused for pages where they may have one position', async (model, chip, more) => {
    expect(JSON.stringify(await check(model, chip, command(8296, more)))).not.toContain(
      'does not start: --chunked',
    )
  })
})
