/** A model that is told by its config.json, as it lies beside the weights. */
import { describe, expect, it } from 'vitest'
import { run } from './world.ts'

const config = JSON.stringify({
  model_type: 'llama',
  hidden_size: 4096,
  intermediate_size: 14336,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  vocab_size: 128256,
  max_position_embeddings: 8192,
  torch_dtype: 'bfloat16',
})
const files = { 'my/config.json': config, 'torn.json': config.slice(0, 40) }
const asked = '--chip h100-sxm --chips 16 --batch 1M --seq 4k --mesh fsdp=16'.split(' ')
const evaluated = (...more: readonly string[]) => run(['evaluate', ...asked, ...more], files)

describe("a model's config.json", () => {
  it('as --model is the model that it describes', async () => {
    const [own, known] = [
      await evaluated('--model', 'my/config.json'),
      await evaluated('--model', 'llama-3-8b'),
    ]
    expect(own.code).toBe(0)
    const [stepOf, memoryOf] = [/^step.*$/m, /^memory.*$/m]
    expect(stepOf.exec(own.out)?.[0]).toBe(stepOf.exec(known.out)?.[0])
    expect(memoryOf.exec(own.out)?.[0]).toBe(memoryOf.exec(known.out)?.[0])
    expect(memoryOf.exec(own.out)?.[0]).toMatch(/parameters/)
  })

  it('as --model holds for checks, too', async () => {
    const { code, out } = await run(['check', ...asked, '--model', 'my/config.json'], files)
    expect([code, out]).toEqual([0, expect.stringMatching(/^ok +fits/m)])
  })

  it('that is torn or absent is told in a line', async () => {
    const torn = await evaluated('--model', 'torn.json')
    expect([torn.code, torn.err]).toEqual([
      2,
      expect.stringMatching(/^error: --model torn\.json is not JSON: /),
    ])
    const absent = await evaluated('--model', 'absent.json')
    expect([absent.code, absent.err]).toEqual([2, expect.stringMatching(/cannot read absent\.json/)])
  })

  it('given in place of a request is told how it is read', async () => {
    const { code, err } = await run(['evaluate', 'my/config.json', ...asked], files)
    expect([code, err]).toEqual([2, expect.stringMatching(/read with --model my\/config\.json/)])
  })
})
