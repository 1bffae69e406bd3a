/** A file that its framework refuses is told a single change with which it starts, and a command what its model's own recipe has. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

it('65 microbatches of an interleaved pipeline run by its schedule without virtual stages', async () => {
  const model =
    '--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm --position-embedding-type rope --disable-bias-linear --untie-embeddings-and-output-weights --vocab-size 128256 --tokenizer-type NullTokenizer --seq-length 4096 --max-position-embeddings 4096'
  const megatron = `torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py ${model} --tensor-model-parallel-size 2 --sequence-parallel --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 4 --micro-batch-size 1 --global-batch-size 130 --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --train-iters 9 --lr 1e-4 --mock-data`
  const asked = { hardware: { chip: 'h100-sxm' }, plan: { megatron } }
  const { body } = await agent.post('/validate').send(asked)
  const check = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
  expect(check.message).toMatch(/interleaving needs microbatches that 4 stages divide/)
  const [first] = check.nearest
  expect(first.detail).toMatch(/^another pipeline schedule: 1f1b with 1 virtual stages; a step takes/)
  const plan = { ...body.read.request.plan }
  for (const { pointer, value } of first.changes) {
    const field = pointer.replace('/read/request/plan/', '')
    if (value === null) delete plan[field]
    else plan[field] = value
  }
  const require = { launchableBy: ['megatron'] }
  const again = await agent.post('/validate').send({ ...body.read.request, plan, require })
  expect(again.body.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toContainEqual([
    'launchableBy',
    true,
  ])
})

it.each([
  ['deepseek-v4-flash', true],
  ['deepseek-v3', false],
])('vLLM is told blocks of 256 positions for %s: %s', async (model, told) => {
  const { body } = await agent.post('/optimize').send({
    model,
    hardware: { chip: 'h200-sxm', chips: 8 },
    workload: { mode: 'generate', batchSequences: 8, contextLength: 4096 },
    top: 1,
  })
  const { command } = body.plans[0].launch.commands.vllm
  expect(command.includes('--block-size 256')).toBe(told)
})
