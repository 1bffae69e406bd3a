/** A tokenizer of a release says the vocabulary of a model that has the release's dimensions, and of no other. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const script = (
  options: string,
) => `torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\
 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --seq-length 4096 --max-position-embeddings 8192 \\
 --normalization RMSNorm --swiglu --disable-bias-linear --untie-embeddings-and-output-weights --bf16 \\
 --position-embedding-type rope --micro-batch-size 1 --global-batch-size 64 --use-distributed-optimizer ${options}`

const evaluated = (options: string) =>
  agent.post('/evaluate').send({ hardware: { chip: 'h100-sxm' }, plan: { megatron: script(options) } })

it('is taken from the catalogue where dimensions agree', async () => {
  const named = '--tokenizer-type HuggingFaceTokenizer --tokenizer-model meta-llama/Llama-3.1-8B'
  const { body, status } = await evaluated(`--num-query-groups 8 ${named}`)
  expect(status).toBe(200)
  expect(body.read.request.model.vocab).toBe(128_256)
  expect(body.read.notes.join()).toContain('the vocabulary is that of')
  const other = await evaluated(`--num-query-groups 4 ${named}`)
  expect(other.status).toBe(422)
  expect(other.body.errors[0].detail).toContain('but for its vocabulary')
})
