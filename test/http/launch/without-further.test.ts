/**
 * torchtitan's configs have no layers that predict further tokens: its own config of DeepSeek-V3 starts, and is costed as what it runs; and
 * plans that it alone launches are of that model too.
 */
import { describe, expect, it } from 'vitest'
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

describe('a config of main', () => {
  const command =
    'torchrun --nnodes 128 --nproc-per-node 8 -m torchtitan.train --module MODULE --config plan activation-checkpoint:full'
  const own = (more: string) =>
    `cat > shardplan_config.py <<'EOF'\ndef plan():\n    config = deepseek_v3_671b()\n    config.model_spec = model_registry("671B", attn_backend="flex"${more})\n    return config\nEOF\n${command.replace('MODULE', 'shardplan_config')}`
  const further = async (file: string) => {
    const question = { model: 'deepseek-v3', hardware: { chip: 'h200-sxm' }, plan: { torchtitan: file } }
    const { body } = await agent.post('/evaluate').send(question)
    const { model } = body.read.request
    return model.multiTokenLayers ?? model
  }

  it('has the layer where its Python asks for it', async () => {
    expect(await further(own(', num_mtp_layers=1'))).toBe('deepseek-v3')
    expect(await further(own(''))).toBe(0)
  })
})

describe('plans of DeepSeek-V3', () => {
  const planned = async (frameworks: readonly string[], more = {}) => {
    const { body } = await agent.post('/optimize').send({
      model: 'deepseek-v3',
      hardware: { chip: 'h200-sxm', chips: 512 },
      workload: { mode: 'train', batchSequences: 2048, sequenceLength: 4096 },
      constraints: { pipeline: 1, tensor: 1, context: 1, data: 1 },
      assumptions: { basis: 'calibrated', frameworks },
      top: 1,
      ...more,
    })
    return body
  }

  it('for torchtitan alone are launched by it, without the layer, which a warning says', async () => {
    const { plans, warnings } = await planned(['torchtitan'])
    expect(plans[0].launch.torchtitan).toMatch(/flavor = "671B"/)
    expect(plans[0].launch.commands.torchtitan.command).toMatch(/--config deepseek_v3_671b|shardplan/)
    expect(warnings).toContainEqual(expect.stringMatching(/num_mtp_layers.*costed without its 1$/))
  })

  it('for Megatron-LM too have it, which torchtitan has on main alone and no command of it', async () => {
    const { plans, warnings } = await planned(['megatron', 'torchtitan'])
    const { unwritten } = plans[0].launch.torchtitan
    expect(unwritten.join()).toMatch(/num_mtp_layers/)
    expect(warnings.join()).not.toMatch(/costed without its/)
    expect(plans[0].launch.megatron.join(' ')).toMatch(/--mtp-num-layers 1/)
  })
})
