/** Numbers of vLLM are what its parser makes of them, and what is none of them is refused. */
import { describe, expect, it } from 'vitest'
import { readVllm } from '../../../src/launch/vllm/read.ts'

const context = {
  ...{ chips: 8, slices: 1, mode: 'serve', model: null },
  chip: { name: 'h100-sxm', kind: 'gpu' as const, hbmBytes: 80e9 },
}
const read = (words: string) => readVllm(`vllm serve m -tp 8 ${words}`, context)

describe('a length', () => {
  it.each([
    ['8192', 8192],
    ['131_072', 131_072],
    ['32k', 32_000],
    ['32K', 32_768],
    ['25.6k', 25_600],
    ['1M', 2 ** 20],
    ['0.001g', 1e6],
  ])('of %s is read', (text, length) => {
    const { faults, plan } = read(`--max-model-len ${text} --max-num-batched-tokens ${text}`)
    expect([faults, plan.contextLength, plan.stepTokens]).toEqual([[], length, length])
  })

  it.each(['auto', 'AUTO', '-1'])('of %s is whatever fits', (text) => {
    const { faults, plan } = read(`--max-model-len ${text}`)
    expect([faults, plan.contextLength]).toEqual([[], undefined])
  })

  it.each([
    ['131,072', 'which is no number: the nearest is 131072'],
    ['128K_', 'which is no number'],
    ['abc', 'which is no number'],
    ['8192.5', 'which is no number'],
    ['1k5', 'which is no number'],
    ['1.5K', 'which is no number: the nearest is 1.5k'],
    ['0', 'which is no count'],
    ['-2', 'which is no count'],
    ['$LENGTH', 'which the text does not set'],
  ])('of %s is refused', (text, why) => {
    for (const option of ['--max-model-len', '--max-num-batched-tokens'])
      expect(read(`${option} ${text}`).faults).toEqual([`${option} is ${text}, ${why}`])
  })

  it('without a value is refused', () => {
    expect(read('--max-model-len').faults).toEqual(['--max-model-len has no value'])
  })
})

describe('a limit of sequences that is not said', () => {
  const generating = { ...context, mode: 'generate' }
  it.each([
    ['', 1024],
    ['--max-num-batched-tokens 512', 512],
    ['--max-num-seqs 2000', 2000],
  ])('is as vLLM has it by default where it generates: %s', (words, most) => {
    const { mostSequences, notes } = readVllm(`vllm serve m -tp 8 ${words}`, generating)
    expect(mostSequences).toBe(most)
    const told = `--max-num-seqs is not said: at most ${most} sequences at once, as it is by default`
    expect(notes.includes(told)).toBe(most !== 2000)
  })

  it('is none of the prompts that are read together', () => {
    const prompts = { ...context, mode: 'prefill' }
    expect(readVllm('vllm serve m -tp 8', prompts).mostSequences).toBeUndefined()
  })
})
