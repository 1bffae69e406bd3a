/** The room that MaxText's buffers have for what experts are sent, as it is counted, written and read. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const asked = {
  model: 'qwen3-235b-a22b',
  hardware: { chip: 'tpu-v5p', topology: [4, 4, 8] },
  workload: { mode: 'train', batchTokens: 1_048_576, sequenceLength: 4096 },
}

async function evaluated(plan: object, assumptions: object = {}) {
  const { status, body } = await agent.post('/evaluate').send({ ...asked, plan, assumptions })
  expect([status, body.errors]).toEqual([200, undefined])
  const { memoryBytes, launch, feasible } = body.plan
  return { total: memoryBytes.total as number, launch, feasible }
}

describe('experts on 16 chips', () => {
  const plan = {
    mesh: { fsdp: 8, expert: 16 },
    zeroStage: 3,
    microbatches: 1,
    rematerialization: 'save_mlp_proj',
  }

  it('do not fit with their products kept, as there is room for the most that can come', async () => {
    const most = await evaluated(plan)
    const even = await evaluated(plan, { expertBufferFactor: 1 })
    expect([most.feasible, even.feasible]).toEqual([false, true])
    expect(most.launch.maxtext).not.toHaveProperty('ragged_buffer_factor')
    expect(most.launch.notes.join('\n')).toMatch(/room for 16 times an even share/)
    expect(even.launch.maxtext.ragged_buffer_factor).toBe(1)
    expect(even.launch.notes.join('\n')).toMatch(/drops what its experts are sent beyond 1 times/)
  })

  it.each([0, 1.5])('are read with the factor %d that they are written with', async (expertBufferFactor) => {
    const written = await evaluated(plan, { expertBufferFactor })
    const read = await evaluated({ maxtext: written.launch.commands.maxtext.command })
    expect(read.total).toBe(written.total)
  })
})
