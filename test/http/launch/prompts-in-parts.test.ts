/** A server that reads prompts through a pipeline takes as many tokens at once as its command says. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const workload = { mode: 'prefill', batchSequences: 9, promptLength: 4096 }
const question = { model: 'llama-3-8b', hardware: { chip: 'gb200', chips: 24 }, workload }
const mesh = { data: 3, tensor: 4, pipeline: 2 }

async function planOf(plan: object, own: object = {}) {
  const { status, body } = await agent.post('/evaluate').send({ ...question, ...own, plan })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.plan
}

describe('a plan with stepTokens', () => {
  it('has the fullest parts that they allow, and the smallest where they allow none', async () => {
    // Three prompts on each of three replicas: one at a time, or in groups of two, or all at once, each whole or in halves.
    const taken = async (stepTokens: number) => {
      const { microbatches, microbatchTokens } = await planOf({ mesh, stepTokens })
      return [microbatches, microbatchTokens]
    }
    expect(await taken(1e6)).toEqual([1, 9 * 4096])
    expect(await taken(9 * 4096)).toEqual([1, 9 * 4096])
    expect(await taken(9 * 4096 - 1)).toEqual([2, 5 * 4096])
    expect(await taken(3 * 4096)).toEqual([3, 3 * 4096])
    expect(await taken(3 * 2048)).toEqual([6, 3 * 2048])
    expect(await taken(1000)).toEqual([6, 3 * 2048])
  })

  it('is not one of training', async () => {
    const train = { mode: 'train', batchSequences: 48, sequenceLength: 4096 }
    const { body } = await agent
      .post('/evaluate')
      .send({ ...question, workload: train, plan: { mesh: { data: 24 }, stepTokens: 4096 } })
    expect(body.errors).toMatchObject([{ pointer: '/plan/stepTokens' }])
  })
})

describe('a command', () => {
  const files = (tokens: number) => ({
    vllm: { vllm: `vllm serve m -tp 4 -pp 2 -dp 3 --max-model-len 4097 --max-num-batched-tokens ${tokens}` },
    sglang: {
      sglang: `python3 -m sglang.launch_server --model-path m --tp-size 4 --pp-size 2 --context-length 4102 --chunked-prefill-size ${tokens}`,
    },
    'whole prompts of sglang': {
      sglang: `python3 -m sglang.launch_server --model-path m --tp-size 4 --pp-size 2 --context-length 4102 --chunked-prefill-size -1 --max-prefill-tokens ${tokens}`,
    },
    'tensorrt-llm': {
      tensorrtLlm: {
        tensor_parallel_size: 4,
        pipeline_parallel_size: 2,
        max_seq_len: 4097,
        max_num_tokens: tokens,
      },
    },
  })

  it.each(Object.keys(files(0)))('of %s is read with its parts', async (name) => {
    for (const [tokens, microbatches] of [
      [2048, 6],
      [4096, 3],
      [8192, 2],
      [16_384, 1],
    ] as const) {
      const { [name as 'vllm']: plan } = files(tokens)
      const read = await planOf(plan)
      expect(read, `${name} ${tokens}`).toMatchObject({ mesh, microbatches })
    }
  })
})
