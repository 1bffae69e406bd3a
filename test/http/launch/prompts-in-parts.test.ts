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

  const training = { mode: 'train', batchSequences: 48, sequenceLength: 4096 }
  const generation = { mode: 'generate', batchSequences: 24, contextLength: 4096 }
  const serving = { mode: 'serve', promptLength: 4096, outputLength: 64 }

  it.each([
    [training, { mesh: { data: 24 }, stepTokens: 4096 }, '/plan/stepTokens'],
    [generation, { mesh: { data: 24 }, stepTokens: 1 }, '/plan/stepTokens'],
    [generation, { mesh, stepTokens: 64 }, '/plan/stepTokens'],
    [serving, { prefill: { stepTokens: 4096 } }, '/plan/prefill/stepTokens'],
    [serving, { generate: { stepTokens: 4096 } }, '/plan/generate/stepTokens'],
    [serving, { generate: { cacheShare: { ofMemory: 0.5 } } }, '/plan/generate/cacheShare'],
  ])('is one of prompts, or of a whole deployment: %j is not for %j', async (workload, plan, pointer) => {
    const { status, body } = await agent.post('/evaluate').send({ ...question, workload, plan })
    expect([status, body.type]).toEqual([422, '/problems/impossible-combination'])
    expect(body.errors).toMatchObject([{ pointer, correction: [{ pointer, value: null }] }])
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
