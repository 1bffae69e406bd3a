/** Options of Megatron-LM as keys of YAML, as its functional tests have them (tests/functional_tests/test_cases/*\/*\/model_config.yaml). */
import { describe, expect, it } from 'vitest'
import { readerOf } from '../../../api/translate/launch/file.ts'

const context = { chips: 8, mode: null, model: null } as unknown as Parameters<ReturnType<typeof readerOf>>[0]

const read = (...more: readonly string[]) =>
  readerOf({
    megatron: [
      'ENV_VARS:',
      '  CUDA_DEVICE_MAX_CONNECTIONS: 1',
      'MODEL_ARGS:',
      '  --num-layers: 12',
      '  --hidden-size: 4096',
      '  --num-attention-heads: 32',
      '  --ffn-hidden-size: 11008',
      '  --vocab-size: 32000',
      '  --seq-length: 1024',
      '  --max-position-embeddings: 1024',
      '  --micro-batch-size: 4',
      '  --global-batch-size: 32',
      ...more.map((line) => `  ${line}`),
    ].join('\n'),
  })(context)

describe('options that are keys of YAML', () => {
  it('may stand twice, of which the last counts', () => {
    const { model, notes, faults, workload } = read('--bf16: true', '--ffn-hidden-size: 14336')
    expect(faults).toEqual([])
    expect(model?.dFf).toBe(14_336)
    expect(workload.batchSequences).toBe(32)
    expect(notes).toContain('--ffn-hidden-size stands twice, in lines 7 and 14: the last counts')
    expect(read('--bf16: true').notes.join()).not.toContain('stands twice')
  })

  it('have lists in brackets, which the launcher takes off', () => {
    const modules = 'core_attn mlp'
    const selective = '--recompute-granularity: selective'
    const listed = read(selective, `--recompute-modules: "[${modules}]"`)
    expect(listed.faults).toEqual([])
    expect(listed.plan).toEqual(
      read(selective, `--recompute-modules: [${modules.replaceAll(' ', ', ')}]`).plan,
    )
    expect(listed.plan).not.toEqual(read(selective, '--recompute-modules: "[mlp]"').plan)
  })
})
