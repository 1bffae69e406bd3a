/**
 * Overlap of tensor parallelism that is costed is also asked for in the command, or a note says why not; likewise for
 * what a launch file leaves out.
 */
import { describe, expect, it } from 'vitest'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { type HandMade, launched, launchedPrecision as precision } from '../../golden/launched-plan.ts'
import type { ProblemOptions } from '../../problem.ts'

function overlapped(
  plan: HandMade,
  asked: Partial<ProblemOptions> = {},
  assumptions: Partial<Assumptions> = {},
) {
  const { megatron, commands, notes } = launched(
    {
      model: 'llama-3-8b',
      chip: 'h100-sxm',
      chips: 16,
      batchTokens: 64 * 4096,
      sequenceLength: 4096,
      precision,
      assumptions: { basis: 'calibrated', overlapCriticalPath: 0.8, userBuffers: true, ...assumptions },
      ...asked,
    },
    plan,
  )
  const flags = megatron as readonly string[]
  const asks = flags.includes('--tp-comm-overlap')
  expect(commands?.megatron?.command.includes('--tp-comm-overlap')).toBe(asks)
  expect(commands?.megatron?.parallelism?.includes('--tp-comm-overlap')).toBe(asks)
  // It asserts that.
  if (asks) expect(flags).toContain('--sequence-parallel')
  return { asks, note: (notes ?? []).find((note) => note.includes('overlapCriticalPath')) }
}

describe('tensor parallelism that is counted as hidden', () => {
  it('is asked for on NVLink, of dense layers and of experts', () => {
    const dense = overlapped({ mesh: { tensor: 8, data: 2 }, zeroStage: 1 })
    expect(dense).toEqual({ asks: true, note: expect.stringContaining('0.8 of what tensor') })
    const experts = overlapped({ mesh: { tensor: 2, expert: 8 }, zeroStage: 1 }, { model: 'mixtral-8x7b' })
    expect(experts.asks).toBe(true)
  })

  it.each<[string, HandMade, Partial<ProblemOptions>, Partial<Assumptions>]>([
    ['beside Megatron-FSDP', { mesh: { tensor: 8, fsdp: 2 } }, {}, {}],
    ['other than Hopper', { mesh: { tensor: 8, data: 2 } }, { chip: 'a100-80g-sxm' }, {}],
    ['other than Hopper', { mesh: { tensor: 8, data: 2 } }, { chip: 'mi300x' }, {}],
    ['latent attention', { mesh: { tensor: 8, data: 2 } }, { model: 'deepseek-v2-lite' }, {}],
    ['userBuffers is false', { mesh: { tensor: 8, data: 2 } }, {}, { userBuffers: false }],
    [
      'beside CUDA graphs',
      { mesh: { tensor: 2, expert: 8 } },
      { model: 'mixtral-8x7b' },
      { expertRecipe: 'graphed' },
    ],
  ])('is told, not asked for: %s', (why, plan, asked, assumptions) => {
    expect(overlapped(plan, asked, assumptions)).toEqual({
      asks: false,
      note: expect.stringContaining(why),
    })
  })

  it('is neither where nothing of it hides', () => {
    const none = { asks: false, note: undefined }
    expect(overlapped({ mesh: { data: 16 } })).toEqual(none)
    expect(overlapped({ mesh: { tensor: 16 } })).toEqual(none)
    const hidesNone = { overlapCriticalPath: 0, userBuffers: false }
    expect(overlapped({ mesh: { tensor: 8, data: 2 } }, {}, hidesNone)).toEqual(none)
  })
})

describe('a command of Megatron-LM', () => {
  const notesOf = (said: string) =>
    readMegatron(`torchrun pretrain_gpt.py --num-layers 32 ${said}`, 8).notes.join('\n')

  it('is told of dropout that it states, which is not counted', () => {
    expect(notesOf('--hidden-dropout 0.1 --attention-dropout .1')).toMatch(
      /--hidden-dropout 0.1 --attention-dropout .1: dropout is not counted/,
    )
    for (const said of ['', '--hidden-dropout 0 --attention-dropout 0.0', '--hidden-dropout $DROP'])
      expect(notesOf(said)).not.toContain('dropout')
  })

  it('is told that tensor parallelism is counted as hidden, unless it asks for that', () => {
    const tensor = '--bf16 --tensor-model-parallel-size 8 --sequence-parallel'
    expect(notesOf(tensor)).toContain('without --tp-comm-overlap')
    for (const said of ['', `${tensor} --tp-comm-overlap`]) expect(notesOf(said)).not.toContain('tp-comm')
  })
})
