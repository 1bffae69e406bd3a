/** A variable that nothing has set leaves an option without a value, which is another mistake than a value that is no number. */
import { expect, it } from 'vitest'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'

const context = { chips: 4, slices: 1, mode: 'serve', model: null }

it.each([
  '--kv-cache-memory-bytes',
  '--max-num-batched-tokens',
  '--max-model-len',
  '--tensor-parallel-size',
])('vLLM: %s', (option) => {
  const { faults } = readVllm(`vllm serve m ${option}="\${BYTES-}"`, context)
  expect(faults.join()).toContain(`${option} is empty`)
  expect(faults.join()).not.toContain('no number')
})

it('SGLang', () => {
  const { faults } = readSglang(
    `python3 -m sglang.launch_server --model-path m --tp-size="\${RANKS:-}"`,
    context,
  )
  expect(faults.join()).toContain('--tp-size is empty')
})
