import { describe, expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'

/** Qwen3-235B: 8 of 128 experts, of width 1536. */
const asked = {
  model: 'qwen3-235b-a22b',
  chip: 'tpu-v5p',
  chips: 128,
  batchTokens: 1_048_576,
  sequenceLength: 4096,
  rematerialization: ['none', 'full'],
}

function bytes(expertBufferFactor: number, mesh: Partial<Mesh>) {
  const model = costModel(problem({ ...asked, assumptions: { basis: 'calibrated', expertBufferFactor } }))
  const scale = createScale()
  setMesh(scale, { ...unitMesh, ...mesh }, model.extents, model.problem.assumptions)
  setBatch(scale, 256)
  const {
    kept: [all = 0, input = 0],
    live: [, again = 0],
  } = memoryNumbers(model, stageModel(model, 3), scale)
  return { all, input, again }
}

/** Copies of tokens on a chip where experts are as popular, and what each has of D and of the width of an expert, in bf16. */
const rows = ((256 * 4096) / 128) * 8
const [ofModel, ofExpert] = [4096 * 2, 1536 * 2]

describe('buffers for what experts are sent', () => {
  const mesh = { fsdp: 8, expert: 16 }

  it('keep as many more rows as there is room for, of copies and of three products', () => {
    const [even, twice, most] = [1, 2, 0].map((factor) => bytes(factor, mesh).all)
    const ofRows = rows * (ofModel + 3 * ofExpert)
    expect((twice ?? 0) - (even ?? 0)).toBeCloseTo(ofRows, -4)
    // All copies of 16 chips on one: it has 8 experts, as many as a token chooses.
    expect((most ?? 0) - (even ?? 0)).toBeCloseTo(15 * ofRows, -4)
  })

  it('are live while a layer is computed again, with what experts make', () => {
    const [even, most] = [1, 0].map((factor) => bytes(factor, mesh).again)
    expect((most ?? 0) - (even ?? 0)).toBeCloseTo(rows * (15 * (ofModel + 3 * ofExpert) + 16 * ofModel), -4)
  })

  it('have no more than a token has choices to send where each chip has few experts', () => {
    const few = { fsdp: 2, expert: 64 }
    expect(bytes(0, few).all - bytes(1, few).all).toBeCloseTo(15 * rows * (ofModel + 3 * ofExpert), -4)
  })

  it('are of the tokens themselves without an expert axis, and hold no input of a layer', () => {
    const whole = { fsdp: 128 }
    expect(bytes(0, whole).all).toBe(bytes(1, whole).all)
    expect(bytes(0, mesh).input).toBe(bytes(1, mesh).input)
  })
})
