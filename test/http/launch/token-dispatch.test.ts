/** How tokens are sent to their experts: as the frameworks that may train the model can on these chips, and in each command as it is timed. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const workload = { mode: 'train', batchSequences: 64, sequenceLength: 4096 }
const spread = { mesh: { expert: 8, fsdp: 2 }, zeroStage: 3, microbatches: 1, rematerialization: 'full' }

async function evaluated(model: string, chip: string, assumptions: object = {}, own: object = {}) {
  const question = { model, hardware: { chip, chips: 16 }, workload, plan: { ...spread, ...own } }
  const { status, body } = await agent.post('/evaluate').send({ ...question, assumptions })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

describe('training of experts without DeepEP', () => {
  it.each([
    'mi300x',
    'a100-80g-pcie',
  ])('sends a copy to each expert on %s, which takes longer', async (chip) => {
    const { assumptions, plan } = await evaluated('qwen3-30b-a3b', chip)
    expect(assumptions.hierarchicalDispatch).toBe(false)
    expect(plan.launch.stepTimeSeconds.megatron).toBe(plan.stepTimeSeconds)
    expect(plan.launch.megatron).toContain('alltoall')
    expect(plan.launch.notes.join()).not.toContain('once for each of its')
    const asked = await evaluated('qwen3-30b-a3b', chip, { hierarchicalDispatch: true })
    expect(asked.plan.stepTimeSeconds).toBeLessThan(plan.stepTimeSeconds)
    // No command does what was asked for.
    expect(asked.plan.launch.stepTimeSeconds).toEqual(plan.launch.stepTimeSeconds)
    expect(asked.plan.launch.notes.join()).toContain('once for each of its 8 experts')
  })

  it.each([
    ['torchtitan', 'mixtral-8x7b', false],
    ['torchtitan', 'qwen3-30b-a3b', true],
    ['torchtitan', 'deepseek-v2-lite', true],
    ['maxtext', 'qwen3-30b-a3b', false],
    ['megatron', 'mixtral-8x7b', true],
  ])('is what %s alone does with %s: %s', async (framework, model, direct) => {
    const { assumptions, plan } = await evaluated(model, 'h100-sxm', {
      stack: 'none',
      frameworks: [framework],
    })
    expect(assumptions.hierarchicalDispatch).toBe(direct)
    expect(plan.launch.stepTimeSeconds[framework]).toBe(plan.stepTimeSeconds)
    const { assumptions: named } = await evaluated(model, 'h100-sxm', { stack: framework })
    if (framework !== 'megatron') expect(named.hierarchicalDispatch).toBe(direct)
  })

  it('is over whole experts where MaxText alone does not launch it, which slices them', async () => {
    const own = { mesh: { expert: 8, tensor: 2 }, zeroStage: 3 }
    const { plan } = await evaluated('qwen3-30b-a3b', 'h100-sxm', { stack: 'none' }, own)
    const alone = { stack: 'none', frameworks: ['maxtext'] }
    const { assumptions, plan: sliced } = await evaluated('qwen3-30b-a3b', 'h100-sxm', alone, own)
    expect(assumptions).toMatchObject({ expertTensor: 'sliced', hierarchicalDispatch: false })
    expect(sliced.stepTimeSeconds).toBe(sliced.launch.stepTimeSeconds.maxtext)
    expect(sliced.stepTimeSeconds).toBe(plan.launch.stepTimeSeconds.maxtext)
    expect(sliced.stepTimeSeconds).toBeGreaterThan(plan.stepTimeSeconds)
  })

  it('leaves dense models and servers as they are', async () => {
    const { body } = await agent.post('/optimize').send({
      ...{ model: 'qwen3-30b-a3b', hardware: { chip: 'mi300x', chips: 8 }, top: 1 },
      workload: { mode: 'generate', batchSequences: 64, contextLength: 2048 },
    })
    expect(body.assumptions.hierarchicalDispatch).toBe(true)
  })
})

describe('a command of torchtitan', () => {
  it('is for main where that alone has DeepEP for the model, which its TOML has not', async () => {
    const { plan } = await evaluated('qwen3-30b-a3b', 'h100-sxm', { stack: 'none' })
    const { torchtitan, commands, notes, stepTimeSeconds } = plan.launch
    expect(commands.torchtitan.files[0].text).toContain(
      'model_registry("30B-A3B", moe_comm_backend="deepep")',
    )
    expect(torchtitan).toContain('expert_parallel_comm_backend = "standard"')
    expect(notes.join()).toContain('the command is for main, which has DeepEP for qwen3-30b-a3b')
    expect(stepTimeSeconds.torchtitan).toBe(plan.stepTimeSeconds)
    expect(stepTimeSeconds.maxtext).toBeGreaterThan(plan.stepTimeSeconds)
  })

  it('is timed as it sends tokens where it has no DeepEP', async () => {
    const own = { mesh: { expert: 8, tensor: 2 }, zeroStage: 3 }
    const { plan } = await evaluated('qwen3-30b-a3b', 'h100-sxm', { stack: 'none' }, own)
    const { torchtitan, stepTimeSeconds } = plan.launch
    expect(torchtitan).toContain('expert_parallel_comm_backend = "standard"')
    expect(stepTimeSeconds.megatron).toBe(plan.stepTimeSeconds)
    expect(stepTimeSeconds.torchtitan).toBeGreaterThan(plan.stepTimeSeconds)
  })
})
