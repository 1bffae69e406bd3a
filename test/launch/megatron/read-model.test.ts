/** What Megatron-LM's options say of a model's layers is read as it is meant, or refused with a reason. */
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'

const base =
  'torchrun --nnodes 1 --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 8 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 8 --seq-length 4096 --max-position-embeddings 4096'
const variant = '--experimental-attention-variant gated_delta_net'

const read = (options: string) => readMegatron(`${base} ${options}`, null)

describe('layers with a recurrence', () => {
  it.each([
    ['4', { attentionEvery: 4 }],
    ["'([1]*3+[0]*1)*2'", { attentionEvery: 4 }],
    ["'[1,1,0,1,1,0,1,0]'", { attentionEvery: 3, lastAttends: true }],
    ["'[1]*7+[0]'", { attentionEvery: 8 }],
  ])('are read of a frequency of %s', (every, pattern) => {
    const { model, faults } = read(`${variant} --linear-attention-freq ${every}`)
    expect(faults).toEqual([])
    expect(model?.recurrence).toEqual({
      mixer: 'gated-delta-net',
      ...pattern,
      ...{ keyHeads: 16, keyDim: 128, heads: 32, valueDim: 128, convolution: 4 },
    })
  })

  it('are none where the list has none, or each layer attends', () => {
    for (const every of ["'[0]*8'", '1']) {
      const { model, faults } = read(`${variant} --linear-attention-freq ${every}`)
      expect([model?.recurrence, faults]).toEqual([undefined, []])
    }
  })

  it('have the name that later releases give them', () => {
    const said = '--linear-attention-freq 4 --experimental-attention-variant'
    expect(read(`${said} gdn`).model).toEqual(read(`${said} gated_delta_net`).model)
  })

  it.each([
    [`${variant}`, /gated_delta_net needs --linear-attention-freq/],
    [`${variant} --linear-attention-freq 0`, /--linear-attention-freq 0 is no count/],
    [`${variant} --linear-attention-freq often`, /neither a number nor a list/],
    [`${variant} --linear-attention-freq '[1,1,1,0]'`, /has 4 layers, not the 8/],
    [`${variant} --linear-attention-freq '[1,1,0,0]*2'`, /only the last of every so many layers/],
    [`${variant} --linear-attention-freq '[0,1]*4'`, /only the last of every so many layers/],
    [`${variant} --linear-attention-freq '[1]*8'`, /only the last of every so many layers/],
    ['--experimental-attention-variant kimi_delta_attention --linear-attention-freq 4', /is not counted/],
    ['--experimental-attention-variant gdn2 --linear-attention-freq 4', /gdn2 is not counted/],
    ['--experimental-attention-variant dsa', /dsa needs --dsa-indexer-n-heads/],
  ])('are refused of %s', (options, reason) => {
    expect(read(options).faults).toEqual([expect.stringMatching(reason)])
  })

  it('are none without the variant, as is noted', () => {
    const { model, notes, faults } = read('--linear-attention-freq 4')
    expect([model?.recurrence, faults]).toEqual([undefined, []])
    expect(notes.join()).toMatch(/every layer attends/)
  })
})

describe('a model that is not spelled out', () => {
  const half = 'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 8 --micro-batch-size 1'

  it('is that of the request, and what is said of its experts is told to be left out', () => {
    const { model, notes } = readMegatron(`${half} --num-experts 8 --moe-router-topk 2`, null)
    expect(model).toBeNull()
    expect(notes.join()).toMatch(/--num-experts, --moe-router-topk: not counted without/)
    expect(readMegatron(half, null).notes.join()).not.toMatch(/not counted without/)
    expect(read('--num-experts 8 --moe-router-topk 2').notes.join()).not.toMatch(/not counted without/)
  })
})

it('a pattern of layers is read by the name that it had in older releases', () => {
  const layers = readMegatron(`${base} --hybrid-override-pattern M-M*M-ME`, null)
  expect(layers.model?.layerPattern).toBe('M-M*M-ME')
  expect(layers.notUnderstood).toEqual([])
})
