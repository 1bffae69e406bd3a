/** Files of frameworks that no stack is of. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const deepspeed = JSON.stringify({
  train_micro_batch_size_per_gpu: 1,
  gradient_accumulation_steps: 8,
  bf16: { enabled: true },
  zero_optimization: { stage: 3 },
})
const accelerate = [
  'distributed_type: FSDP',
  'fsdp_config:',
  '  fsdp_version: 2',
  '  fsdp_reshard_after_forward: true',
  'mixed_precision: bf16',
  'num_machines: 2',
  'num_processes: 16',
].join('\n')

async function evaluated(plan: object, assumptions?: unknown) {
  const { status, text, body } = await service({ search: planning })
    .post('/evaluate')
    .send({
      model: 'llama-3-8b',
      hardware: { chip: 'h100-sxm', chips: 16 },
      workload: { mode: 'train', sequenceLength: 8192, batchSequences: 128 },
      plan,
      ...(assumptions === undefined ? {} : { assumptions }),
    })
  expect(status, text).toBe(200)
  return body
}

describe.each([
  ['deepspeed', { deepspeed }],
  ['accelerate', { accelerate }],
])('a file of %s', (name, plan) => {
  const general = expect.stringMatching(`^${name}: .*general`)

  it('is costed with general constants, and says so', async () => {
    const { assumptions, warnings, plan: answered } = await evaluated(plan)
    expect(assumptions.stack).toBe('none')
    expect(warnings).toContainEqual(general)
    expect(warnings.join()).not.toContain('costed as')
    expect(answered.stepTimeSeconds).toBe((await evaluated(plan, { stack: 'none' })).plan.stepTimeSeconds)
  })

  it('is costed as the software that the request names', async () => {
    const named = await evaluated(plan, { stack: 'megatron' })
    expect(named.assumptions.stack).toBe('megatron-core-hopper')
    expect(named.warnings).not.toContainEqual(general)
  })

  it("has no stack under the book's assumptions, and no need to say so", async () => {
    const { assumptions, warnings } = await evaluated(plan, 'book')
    expect(assumptions.basis).toBe('book')
    expect(warnings).not.toContainEqual(general)
  })
})
