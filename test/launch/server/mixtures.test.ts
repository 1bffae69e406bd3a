/** Commands of SGLang have attention by sequences for mixtures whose file in SGLang has it, and send tokens where it sends them. */
import { describe, expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

const question = {
  hardware: { chip: 'h200-sxm', chips: 8 },
  workload: { mode: 'serve', promptLength: 2048, outputLength: 512, disaggregated: false },
  assumptions: { frameworks: ['sglang'] },
}

const inGroups = {
  attention: 'copied-all/batch',
  mlp: '1d-sequences',
  experts: '1d-sequences/sliced',
  unembedding: '1d-sequences',
}

const evaluated = async (model: unknown, plan: object) => {
  const { status, body } = await agent.post('/evaluate').send({ ...question, model, plan })
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body
}

const grouped = (model: unknown, { mlp, ...layout }: typeof inGroups, dense: boolean) =>
  evaluated(model, {
    disaggregated: false,
    generate: { mesh: { tensor: 8 }, layout: dense ? { mlp, ...layout } : layout },
    maxSequences: 64,
  })

describe('SGLang, asked for attention by sequences,', () => {
  it.each([
    ['llama-4-maverick', true],
    ['gpt-oss-120b', false],
    ['qwen3-235b-a22b', false],
  ])('has it for %s, with nothing to doubt', async (model, dense) => {
    const { plan } = await grouped(model, inGroups, dense)
    expect(plan.launch.sglang, JSON.stringify(plan.launch.sglang)).toContain('--enable-dp-attention')
    expect(plan.launch.notes.join(' ')).not.toMatch(/attention by sequences/)
  })

  it.each([
    'mixtral-8x22b',
    'dbrx',
    'phi-3.5-moe',
  ])('refuses %s, of which no group reads its own', async (model) => {
    const { plan } = await grouped(model, inGroups, false)
    expect(plan.launch.sglang.unsupported).toContainEqual(
      `SGLang has no attention by sequences for ${model} (--enable-dp-attention)`,
    )
  })

  it('says that it was not looked up for a mixture of one’s own', async () => {
    const moe = { experts: 16, activeExperts: 2, dFfExpert: 4096 }
    const model = {
      layers: 32,
      dModel: 4096,
      dFf: 4096,
      heads: 32,
      kvHeads: 8,
      vocab: 32_000,
      gatedMlp: true,
      moe,
    }
    const { plan } = await grouped(model, inGroups, false)
    expect(plan.launch.notes).toContainEqual(expect.stringContaining('it was not looked up'))
  })
})

it.each([
  'llama-4-maverick',
  'nemotron-3-nano-30b-a3b',
  'grok-1',
])('sends no tokens of %s to their experts', async (model) => {
  const { plan } = await evaluated(model, {
    disaggregated: false,
    generate: { mesh: { expert: 8 } },
    maxSequences: 64,
  })
  expect(plan.launch.sglang.unsupported.join('; ')).toContain(
    `SGLang does not send tokens of ${model} to their experts (--moe-a2a-backend)`,
  )
})
