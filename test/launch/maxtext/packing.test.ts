/** Packed sequences on GPUs, as they are written and as they are read back. */
import { expect, it } from 'vitest'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import type { ContextLayout } from '../../../src/sharding/tables/context-layouts.ts'
import { launched } from '../../golden/launched-plan.ts'

const asked = { model: 'llama-3-8b', batchTokens: 16 * 8192, sequenceLength: 8192 }
const gpus = { chip: 'h100-sxm', chips: 16 }
const tpus = { chip: 'tpu-v5p', topology: [2, 2, 4] }

function keysOf(hardware: typeof gpus | typeof tpus, context: number, contextLayout: ContextLayout) {
  const mesh = { fsdp: 16 / context, context }
  const { maxtext } = launched({ ...asked, ...hardware }, { mesh, contextLayout, zeroStage: 3 })
  return maxtext as Readonly<Record<string, unknown>>
}

it('sequences are packed where cuDNN takes them, with a limit on documents, and whole elsewhere', () => {
  for (const [context, layout, own] of [
    [1, 'gather', { max_segments_per_seq: 32 }],
    [2, 'ring', { max_segments_per_seq: 32 }],
    [2, 'gather', { packing: false }],
  ] as const) {
    const keys = keysOf(gpus, context, layout)
    const { packing, max_segments_per_seq } = keys
    expect(JSON.parse(JSON.stringify({ packing, max_segments_per_seq }))).toEqual(own)
    expect(readMaxtext(keys, { chips: 16, slices: 1, mode: null, model: null }).refusals).toEqual([])
  }
})

it('nothing is said of it on TPUs, whose kernels take them all', () => {
  expect(keysOf(tpus, 2, 'gather')).not.toHaveProperty('packing')
})
