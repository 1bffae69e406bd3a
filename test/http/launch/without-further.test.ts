/** torchtitan has no layers that predict further tokens: its own config of DeepSeek-V3 starts, and is costed as what it runs. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const torchtitan = `[model]
name = "deepseek_v3"
flavor = "671B"
[training]
local_batch_size = 4
seq_len = 4096
[parallelism]
data_parallel_shard_degree = -1
expert_parallel_degree = 32
[activation_checkpoint]
mode = "full"`

it('a config of DeepSeek-V3 is launched by torchtitan, without the layer, and a note says so', async () => {
  const question = { model: 'deepseek-v3', hardware: { chip: 'h200-sxm', chips: 1024 }, plan: { torchtitan } }
  const { status, body, text } = await agent.post('/evaluate').send(question)
  expect(status, text.slice(0, 500)).toBe(200)
  expect(body.read.request.model.multiTokenLayers).toBe(0)
  expect(body.read.notes).toContainEqual(expect.stringMatching(/costed without its 1$/))
  expect(body.plan.launch.torchtitan).toContain('flavor = "671B"')
})
