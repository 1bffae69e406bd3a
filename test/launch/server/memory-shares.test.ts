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
})
