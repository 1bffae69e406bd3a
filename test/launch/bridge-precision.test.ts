/** Element types that a command of Megatron Bridge overrides field by field. */
import { describe, expect, it } from 'vitest'
import { readBridge } from '../../src/launch/megatron-bridge/read.ts'

const read = (...said: readonly string[]) =>
  readBridge(
    `torchrun --nproc-per-node 8 scripts/training/run_recipe.py --recipe nemotron_3_nano_pretrain_config ${said.join(' ')}`,
    { chips: 8, model: null },
  )

describe('element types in a command of Megatron Bridge', () => {
  it('are those of the precision that the recipe has, by name or field by field', () => {
    const named = read('mixed_precision=bf16_with_mxfp8_mixed')
    const said = read(
      ...['mixed_precision.fp8=e4m3', 'mixed_precision.fp8_recipe=mxfp8'],
      'mixed_precision.fp8_param_gather=true',
    )
    expect(named.precision.compute).toBe('fp8')
    expect(said.precision).toEqual(named.precision)
    expect(said.notUnderstood).toEqual([])
  })

  it('are not those of fields that the precision is set over, which a note says', () => {
    const own = ['model.fp8=e4m3', 'model.fp8_recipe=mxfp8', 'ddp.fp8_param_gather=true']
    const { precision, ignored, notUnderstood, notes } = read(...own)
    expect(precision).toEqual(read().precision)
    expect(ignored).toEqual(expect.arrayContaining(own))
    expect(notUnderstood).toEqual([])
    const [note] = notes.filter((one) => one.includes('model.fp8'))
    expect(note).toContain('change nothing')
    expect(note).toContain('mixed_precision=bf16_with_mxfp8_mixed')
  })
})
