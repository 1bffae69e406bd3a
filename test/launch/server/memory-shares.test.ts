/** What a command says of the memory that it fills is counted or noted, never passed over: two shares read the same are told apart. */
import { describe, expect, it } from 'vitest'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'

const context = { chips: 8, slices: 1, mode: 'generate', model: null }
const named = 'meta-llama/Llama-3-8B'
const tensorrt = `trtllm-serve ${named}`

const says: Readonly<Record<string, (share: number) => LaunchReading>> = {
  '--gpu-memory-utilization of vLLM': (share) =>
    readVllm(`vllm serve ${named} --gpu-memory-utilization ${share}`, context),
  '--mem-fraction-static of SGLang': (share) =>
    readSglang(
      `python -m sglang.launch_server --model-path ${named} --mem-fraction-static ${share}`,
      context,
    ),
  'an option of TensorRT-LLM': (share) =>
    readTensorrt(`${tensorrt} --kv_cache_free_gpu_memory_fraction ${share}`, null, context),
  'its other spelling': (share) =>
    readTensorrt(`${tensorrt} --free_gpu_memory_fraction ${share}`, null, context),
  'its file': (share) =>
    readTensorrt(tensorrt, { kv_cache_config: { free_gpu_memory_fraction: share } }, context),
  'its file, in tokens': (share) =>
    readTensorrt(tensorrt, { kv_cache_config: { max_tokens: 10_000 * share } }, context),
}

describe('a share of memory', () => {
  it.each(Object.entries(says))('by %s', (_, read) => {
    const told = [0.5, 0.85].map((share) => {
      const { memoryFraction, plan, notes, faults, notUnderstood } = read(share)
      expect([faults, notUnderstood]).toEqual([[], []])
      return { memoryFraction, cacheShare: plan.cacheShare, notes }
    })
    expect(told[0]).not.toEqual(told[1])
  })

  it('of the file goes before that of the command', () => {
    const file = { kv_cache_config: { free_gpu_memory_fraction: 0.4 } }
    const { plan } = readTensorrt(`${tensorrt} --free_gpu_memory_fraction 0.7`, file, context)
    expect(plan.cacheShare).toEqual({ ofFree: 0.4 })
  })

  it('over all of it is refused, and what is meant named where it is in per cent', () => {
    const told = (share: number) =>
      readVllm(`vllm serve ${named} --gpu-memory-utilization ${share}`, context).faults.join()
    expect(told(1.2)).toMatch(/at most 1$/)
    expect([told(90), told(87)]).toEqual([
      expect.stringMatching(/did you mean 0\.9\?$/),
      expect.stringMatching(/did you mean 0\.87\?$/),
    ])
  })
})

it('positions that vLLM shares out are those of a number of ranks that divides tensor', () => {
  const read = (sharers: number) => readVllm(`vllm serve ${named} -tp 8 -dcp ${sharers}`, context)
  expect(read(3).faults.join()).toContain(
    '--decode-context-parallel-size 3 has to divide --tensor-parallel-size 8',
  )
  expect(read(2).notes.join()).toContain('--decode-context-parallel-size 2 is counted as if all 8')
  for (const sharers of [1, 8])
    expect([read(sharers).faults, read(sharers).notes.join()]).toEqual([
      [],
      expect.not.stringContaining('context-parallel'),
    ])
})
