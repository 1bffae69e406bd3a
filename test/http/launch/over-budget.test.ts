/** A plan that does not fit is placed as its framework would place it, so that no other check fails for a placement that nobody chose. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const script = `torchrun --nproc_per_node=8 --nnodes=72 pretrain_gpt.py --num-layers 126 --hidden-size 16384 \\
 --ffn-hidden-size 53248 --num-attention-heads 128 --group-query-attention --num-query-groups 8 --seq-length 8192 \\
 --max-position-embeddings 131072 --normalization RMSNorm --swiglu --disable-bias-linear --bf16 \\
 --untie-embeddings-and-output-weights --position-embedding-type rope --rotary-base 500000 --use-rope-scaling \\
 --tensor-model-parallel-size 8 --pipeline-model-parallel-size 9 --num-layers-per-virtual-pipeline-stage 2 \\
 --sequence-parallel --context-parallel-size 2 --micro-batch-size 1 --global-batch-size 252 \\
 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --tp-comm-overlap`

it('a layout of Megatron-LM that is too large is one that it launches', async () => {
  const { body } = await agent.post('/validate').send({
    model: 'llama-3.1-405b',
    hardware: { chip: 'h100-sxm' },
    plan: { megatron: script },
    require: { launchableBy: ['megatron'] },
  })
  const check = (wanted: string) => body.checks.find(({ name }: { name: string }) => name === wanted)
  expect(check('fits')).toMatchObject({ ok: false })
  expect(check('launchableBy')).toMatchObject({ ok: true })
})

it('of a server that is too large by little no error of training is quoted', async () => {
  const fits = async (gigabytes: number) => {
    const { body } = await agent.post('/validate').send({
      hardware: { chip: 'h100-sxm', chips: 2 },
      memoryBudget: { bytesPerChip: gigabytes * 1e9 },
      workload: { mode: 'generate', contextLength: 2048, batchSequences: 16 },
      plan: { vllm: 'vllm serve Qwen/Qwen3-32B -tp 2 --max-model-len 8192' },
    })
    return body.checks.find(({ name }: { name: string }) => name === 'fits')
  }
  const { actual } = await fits(80)
  const { ok, message } = await fits(Number.parseFloat(actual) * 0.97)
  expect(ok).toBe(false)
  expect(message).toMatch(/too many; the most, .* are parameters\.$/)
})
