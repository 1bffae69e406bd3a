/** Megatron-LM's commands of models with layers of their own: read back without a model, and refused beside another one than they describe. */
import { beforeAll, describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const workload = { mode: 'train', batchTokens: 4_194_304, sequenceLength: 4096 }
const name = 'qwen3-next-80b-a3b'

async function written(model: string, chips: number): Promise<string> {
  const hardware = { chip: 'h100-sxm', chips }
  const { body, text } = await agent.post('/optimize').send({ model, hardware, workload })
  const command = body.plans?.[0]?.launch.commands?.megatron?.command
  if (!command) throw new Error(text.slice(0, 500))
  return command
}

const hardware = { chip: 'h100-sxm' }

describe('the command of a model with a recurrence', () => {
  let command = ''
  beforeAll(async () => {
    command = await written(name, 64)
  })

  const validated = async (megatron: string) => {
    const { body } = await agent
      .post('/validate')
      .send({ model: name, hardware, workload, plan: { megatron } })
    return body
  }

  it('describes it', async () => {
    expect(await validated(command)).toMatchObject({ ok: true })
  })

  it('costs the same with a list of its layers, and without the name', async () => {
    const listed = command.replace('--linear-attention-freq 4', "--linear-attention-freq '([1]*3+[0]*1)*12'")
    expect(listed).not.toBe(command)
    const times = [command, listed].map(async (megatron) => {
      const { body, text } = await agent.post('/evaluate').send({ hardware, plan: { megatron } })
      expect(body.plan?.stepTimeSeconds, text.slice(0, 500)).toBeGreaterThan(0)
      expect(body.read.request.model.recurrence).toMatchObject({
        mixer: 'gated-delta-net',
        attentionEvery: 4,
      })
      return body.plan.stepTimeSeconds
    })
    const [one, other] = await Promise.all(times)
    expect(other).toBe(one)
  })

  it.each([
    [
      '--linear-num-value-heads 32',
      '--linear-num-value-heads 16',
      /recurrence.heads 32; the launch file has 16/,
    ],
    [
      '--linear-key-head-dim 128',
      '--linear-key-head-dim 64',
      /recurrence.keyDim 128; the launch file has 64/,
    ],
    [
      '--linear-attention-freq 4',
      '--linear-attention-freq 8',
      /recurrence.attentionEvery 4; the launch file has 8/,
    ],
    [
      '--experimental-attention-variant gated_delta_net',
      '',
      /mixer gated-delta-net; the launch file has none/,
    ],
    ['--attention-output-gate', '', /attention.outputGate true; the launch file has none/],
    ['--num-experts 512', '--num-experts 256', /moe.experts 512; the launch file has 256/],
    ['--moe-router-topk 10', '--moe-router-topk 4', /moe.activeExperts 10; the launch file has 4/],
  ])('with %s as "%s" is that of another model', async (was, is, reason) => {
    const other = command.replace(was, is)
    expect(other).not.toBe(command)
    const body = await validated(other)
    expect(body.ok).not.toBe(true)
    expect(JSON.stringify(body.errors)).toMatch(reason)
  })
})

it('the command of a model with latent attention describes it without its name, and no other one', async () => {
  const megatron = await written('deepseek-v2-lite', 32)
  const { body } = await agent.post('/validate').send({ hardware, plan: { megatron } })
  expect(body).toMatchObject({ ok: true })
  const narrow = megatron.replace('--kv-lora-rank 512', '--kv-lora-rank 256')
  const named = { model: 'deepseek-v2-lite', hardware, plan: { megatron: narrow } }
  const other = await agent.post('/validate').send(named)
  expect(JSON.stringify(other.body.errors)).toMatch(/attention.mla.keyValueRank 512; the launch file has 256/)
})
