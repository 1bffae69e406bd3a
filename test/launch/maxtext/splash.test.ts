/** Blocks of positions that attention on TPUs reads: they divide what a chip has, as they are written and as they are read. */
import { describe, expect, it } from 'vitest'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import type { ContextLayout } from '../../../src/sharding/tables/context-layouts.ts'
import { type HandMade, launched } from '../../golden/launched-plan.ts'

const context = { chips: 16, slices: 1, mode: null, model: null }

function run(sequenceLength: number, chips: number, contextLayout: ContextLayout = 'gather', gpus = false) {
  const hardware = gpus ? { chip: 'h100-sxm', chips: 16 } : { chip: 'tpu-v5p', topology: [2, 2, 4] }
  const plan: HandMade = { mesh: { fsdp: 16 / chips, context: chips }, contextLayout, zeroStage: 3 }
  const asked = { model: 'llama-3-8b', batchTokens: 16 * sequenceLength, sequenceLength }
  const { maxtext } = launched({ ...asked, ...hardware }, plan)
  return maxtext as Readonly<Record<string, unknown>>
}

const blocksOf = (keys: Readonly<Record<string, unknown>>) =>
  Object.entries(keys).filter(([key]) => key.startsWith('sa_block'))

describe('blocks of positions on TPUs', () => {
  it('of queries are written where they have to divide less than a sequence, and read back without a word', () => {
    for (const [sequenceLength, chips, block] of [
      [4096, 16, 256],
      [12_288, 16, 768],
      [4096, 8, null],
      [2560, 2, 640],
    ] as const) {
      const keys = run(sequenceLength, chips)
      const names = ['sa_block_q', 'sa_block_q_dkv', 'sa_block_q_dq']
      expect(blocksOf(keys)).toEqual(block === null ? [] : names.map((name) => [name, block]))
      const read = readMaxtext(keys, context)
      expect(read.refusals).toEqual([])
      expect(read.faults).toEqual([])
    }
  })

  it('of keys as well where no default divides the sequence', () => {
    expect(Object.fromEntries(blocksOf(run(896, 1)))).toMatchObject({ sa_block_q: 896, sa_block_kv_dq: 896 })
    expect(blocksOf(run(2560, 1))).toEqual([])
  })

  it('are those of what a ring passes, or of whole sequences, as attention has it', () => {
    expect(blocksOf(run(4096, 16, 'ring'))).toEqual([])
    expect(blocksOf(run(4096, 8, 'ulysses'))).toEqual([])
    expect(blocksOf(run(4096, 16, 'gather', true))).toEqual([])
  })

  it('are whole vectors, or the plan is refused', () => {
    expect(run(1000, 1)).toMatchObject({ unsupported: [expect.stringContaining('sequence length 1000')] })
    expect(run(3072, 16)).toMatchObject({ unsupported: [expect.stringContaining('3072 / 16 of a chip')] })
    expect(run(3072, 8)).not.toHaveProperty('unsupported')
    expect(run(1000, 1, 'gather', true)).not.toHaveProperty('unsupported')
  })

  it('stop a file that has others', () => {
    const keys = run(4096, 16)
    const without = Object.fromEntries(Object.entries(keys).filter(([key]) => !key.startsWith('sa_block')))
    const { refusals = [], notes } = readMaxtext(without, context)
    expect(refusals).toHaveLength(3)
    expect(refusals[0]).toContain('sa_block_q 512 makes no whole blocks')
    expect(notes).toEqual(expect.arrayContaining([...refusals]))
    expect(readMaxtext({ ...keys, sa_block_kv: 384 }, context).refusals).toEqual([
      expect.stringContaining('sa_block_kv 384'),
    ])
    expect(
      readMaxtext({ ...without, hardware: 'gpu', attention: 'cudnn_flash_te', packing: false }, context)
        .refusals,
    ).toEqual([])
  })

  it('are of the kernel: scores of all positions are not counted', () => {
    for (const keys of [
      { ...run(4096, 1), attention: 'dot_product' },
      { ...run(4096, 1), attention: 'autoselected', max_target_length: 64 },
    ]) {
      expect(readMaxtext(keys, context).faults).toEqual([expect.stringContaining('attention=flash')])
    }
    expect(readMaxtext({ ...run(4096, 1), attention: 'autoselected' }, context).faults).toEqual([])
  })
})

describe('attention that an index chooses positions for', () => {
  it('has the kernels that take a mask of them', () => {
    const plan = { mesh: { expert: 16 }, policies: ['full'] } as const
    const asked = { batchTokens: 65_536, sequenceLength: 4096, chip: 'tpu-v5p', topology: [2, 2, 4] }
    const keys = (model: string) => launched({ model, ...asked }, { ...plan, zeroStage: 3 }).maxtext
    expect(keys('deepseek-v3.2')).toMatchObject({ use_tokamax_splash: true })
    expect(keys('deepseek-v3')).not.toHaveProperty('use_tokamax_splash')
  })
})
