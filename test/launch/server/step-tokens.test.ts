/** Default tokens and sequences per step are read as the server's own for its chip; fewer tokens than sequences are rejected, as the server does. */
import { expect, it } from 'vitest'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const gibibyte = 2 ** 30
const on = (name: string, gibibytes: number, kind: 'gpu' | 'tpu' = 'gpu') => ({
  ...{ chips: 8, slices: 1, mode: 'serve', model: null },
  chip: { name, kind, hbmBytes: gibibytes * gibibyte },
})
const chips = [
  [on('h100-sxm', 74.5), 8192, 8192, 1024],
  [on('a100-80g-sxm', 74.5), 2048, 8192, 256],
  [on('l40s', 44), 2048, 4096, 256],
  [on('rtx', 24), 2048, 2048, 256],
  [on('b200-sxm', 167), 8192, 16_384, 1024],
] as const

it.each(chips)('%j: they are what the source of each says', (context, vllm, sglang, sequences) => {
  const served = readVllm('vllm serve m -tp 8', context)
  const launched = readSglang('python -m sglang.launch_server --model-path m --tp 8', context)
  expect([served.plan.stepTokens, launched.plan.stepTokens]).toEqual([vllm, sglang])
  expect(served.notes).toContainEqual(expect.stringContaining(`${vllm} tokens in a step`))
  expect(launched.notes).toContainEqual(expect.stringContaining(`${sglang} tokens in a step`))
  expect(served.plan.maxSequences).toBe(sequences)
  expect(served.notes).toContainEqual(expect.stringContaining(`at most ${sequences} sequences at once`))
  expect(launched.plan).not.toHaveProperty('maxSequences')
  const written = readTensorrt('trtllm-serve m --tp_size 8 --pp_size 2', null, context)
  expect(written.plan).toMatchObject({ stepTokens: 8192, maxSequences: 4096 })
  expect(written.notes.join()).toMatch(/max_num_tokens is not said: 8192.*max_batch_size is not said/)
})

it('of sequences are no more than a step has tokens for', () => {
  const most = (more: string) =>
    readVllm(`vllm serve m -tp 8 ${more}`, on('h100-sxm', 74.5)).plan.maxSequences
  expect([most('--max-num-batched-tokens 512'), most('--max-num-seqs 64')]).toEqual([512, 64])
})

it('are twice as many in --performance-mode throughput, where they are not said', () => {
  const read = (more: string) => {
    const { plan, notUnderstood } = readVllm(`vllm serve m -tp 8 ${more}`, on('h100-sxm', 74.5))
    expect(notUnderstood).toEqual([])
    return [plan.stepTokens, plan.maxSequences]
  }
  expect(read('--performance-mode throughput')).toEqual([16_384, 2048])
  expect(read('--performance-mode throughput --max-num-seqs 64')).toEqual([16_384, 64])
  expect(read('--performance-mode throughput --max-num-batched-tokens 4096')).toEqual([4096, 2048])
  expect(read('--performance-mode balanced')).toEqual([8192, 1024])
})

it('of TPUs are by their names, and what is said wins', () => {
  const tokens = (name: string, more = '') =>
    readVllm(`vllm serve m -tp 8 ${more}`, on(name, 30, 'tpu')).plan.stepTokens
  expect([tokens('tpu-v6e'), tokens('tpu-v5e'), tokens('tpu-7x')]).toEqual([1024, 512, 2048])
  expect(tokens('tpu-v6e', '--max-num-batched-tokens 4096')).toBe(4096)
})

it('fewer than there may be sequences are a fault with the nearest, told or not', async () => {
  const agent = service({ search: planning })
  const asked = (more: string) => ({
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { mode: 'serve', promptLength: 1000, outputLength: 200, requestsPerSecond: 1 },
    plan: { vllm: `vllm serve meta-llama/Llama-3-8B -tp 8 --max-num-seqs ${more}` },
  })
  for (const more of ['512 --max-num-batched-tokens 256', '9000']) {
    const { status, body } = await agent.post('/validate').send(asked(more))
    expect(status, more).toBe(422)
    expect(body.errors[0].detail).toMatch(
      /does not start.*the nearest are --max-num-batched-tokens (512|9000)/,
    )
  }
  expect((await agent.post('/evaluate').send(asked('256 --max-num-batched-tokens 256'))).status).toBe(200)
})
