/** A launch file that was saved on Windows is read as the same file with other line ends; of a script it is told that it does not run so. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const script = `#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1
torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py \\
  --tensor-model-parallel-size 4 --sequence-parallel --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 \\
  --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm \\
  --disable-bias-linear --untie-embeddings-and-output-weights --vocab-size 128256 --position-embedding-type rope \\
  --seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 512 --bf16 \\
  --use-distributed-optimizer --train-iters 9 --lr 1e-4 --mock-data --tokenizer-type NullTokenizer
`

const settings = `base_emb_dim: 4096
base_num_query_heads: 32
base_num_kv_heads: 8
base_mlp_dim: 14336
base_num_decoder_layers: 32
head_dim: 128
vocab_size: 128256
max_target_length: 8192
per_device_batch_size: 2
ici_fsdp_parallelism: 16
`

async function read(plan: object, hardware: object) {
  const { status, body } = await service({ search: planning })
    .post('/validate')
    .send({ hardware, plan, require: { fits: false } })
  expect([status, body.errors]).toEqual([200, undefined])
  return body
}

const told = /lines end in CR LF/

it('a script', async () => {
  const gpus = { chip: 'h100-sxm' }
  const [plain, windows] = await Promise.all(
    [script, script.replaceAll('\n', '\r\n')].map((megatron) => read({ megatron }, gpus)),
  )
  expect(windows.plan.mesh).toEqual({ ...plain.plan.mesh, tensor: 4, data: 16 })
  expect(windows.plan).toEqual(plain.plan)
  expect(windows.doubts).toEqual([expect.stringMatching(told)])
  expect(plain.warnings.join()).not.toMatch(told)
})

it('settings, which any reader of YAML takes', async () => {
  const slice = { chip: 'tpu-v5e', topology: [4, 4] }
  const [plain, windows] = await Promise.all(
    [settings, settings.replaceAll('\n', '\r\n')].map((maxtext) => read({ maxtext }, slice)),
  )
  expect(windows).toEqual(plain)
})

it('a manifest, whose scripts YAML reads with plain line ends', async () => {
  const inside = script.replaceAll('\n', '\n            ')
  const manifest = `apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n        - name: train\n          image: nemo\n          command: [bash, -c]\n          args:\n          - |\n            ${inside}\n`
  const gpus = { chip: 'h100-sxm' }
  const [plain, windows] = await Promise.all(
    [manifest, manifest.replaceAll('\n', '\r\n')].map((megatron) => read({ megatron }, gpus)),
  )
  expect(plain.plan.mesh).toMatchObject({ tensor: 4, data: 16 })
  expect(windows).toEqual(plain)
})
