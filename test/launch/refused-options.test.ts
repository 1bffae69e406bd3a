/** Options that a framework does not have are told from those that it has, in files of strangers as well. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { misspeltChecks, misspeltIn } from '../../api/translate/launch/misspelt.ts'
import { optionsOfVersion } from '../../api/translate/launch/option-lists.ts'
import { forAll } from '../law.ts'

const { files } = JSON.parse(readFileSync('fixtures/launch-files.json', 'utf8')) as {
  readonly files: readonly {
    readonly name: string
    readonly key: string
    readonly file: unknown
    readonly request: { readonly workload?: { readonly mode?: string } }
  }[]
}

const read = (key: string, file: unknown, mode: string | null = null) =>
  readerOf({ [key]: file } as LaunchedPlan)({ chips: 16, slices: 1, mode, model: null })

const megatron = (options: string, program = 'pretrain_gpt.py') =>
  read(
    'megatron',
    `torchrun --nproc-per-node 8 --nnodes 2 ${program} --num-layers 32 --seq-length 4096 ${options}`,
  )

describe('an option', () => {
  it.each(files)('of $name is one that there is', ({ key, file, request }) => {
    expect(misspeltIn(read(key, file, request.workload?.mode ?? null))).toEqual([])
  })

  it('that Megatron-LM does not have is refused, with the nearest that it has', () => {
    const found = (options: string, program?: string) =>
      misspeltChecks(megatron(options, program), '/plan/megatron').map(({ actual, expected }) => [
        actual,
        expected,
      ])
    expect(found('--tensor-paralel-size 8')).toEqual([
      ['--tensor-paralel-size', '--tensor-model-parallel-size'],
    ])
    expect(found('--foo-bar 4')).toEqual([['--foo-bar', 'an option of megatron core_v0.19.0']])
    // It begins as options without a say do.
    expect(found('--overlap-gard-reduce')).toEqual([['--overlap-gard-reduce', '--overlap-grad-reduce']])
    expect(found('--foo-bar 4', 'my/pretrain.py')).toEqual([])
    expect(found('--tensor-model-paralel-size 8', 'my/pretrain.py')).toHaveLength(1)
    expect(found('--enable-gpt-oss --export-default-te-spec')).toEqual([])
  })

  it('of vLLM that a later version than the one that is read has is known', () => {
    const found = (options: string) => misspeltIn(read('vllm', `vllm serve org/m ${options}`, 'generate'))
    const later =
      '--language-model-only --attention-config.backend FLASHINFER -ac {} --kernel-config.enable_flashinfer_autotune=False --no-enable-flashinfer-autotune --mamba-backend triton --spec-method mtp --spec-tokens 3'
    expect(found(later)).toEqual([])
    expect(found('--langage-model-only')).toMatchObject([{ meant: '--language-model-only' }])
  })

  it.each([
    ['tensor_paralel_size', 'tensor_parallel_size'],
    ['tensor_parallel_sizes', 'tensor_parallel_size'],
    ['max_batch_sze', 'max_batch_size'],
    ['max_num_token', 'max_num_tokens'],
    ['enable_attention_pd', 'enable_attention_dp'],
  ])('of a file of TensorRT-LLM, outside its sections, is held to those that are read: %s', (key, meant) => {
    const found = misspeltIn(read('tensorrtLlm', `${key}: 4\nmax_seq_len: 8192\n`, 'generate'))
    expect(found).toMatchObject([{ option: key, meant }])
  })

  it.each([
    ['cuda_graph_configs', 'cuda_graph_config'],
    ['moe_configs', 'moe_config'],
    ['kv_cache_confi', 'kv_cache_config'],
  ])('that is a section of a file of TensorRT-LLM but for a letter is refused: %s', (key, meant) => {
    const found = misspeltIn(
      read('tensorrtLlm', `${key}: {enable_padding: true}\nmax_seq_len: 8192\n`, 'generate'),
    )
    expect(found).toMatchObject([{ option: key, meant }])
    expect(misspeltIn(read('tensorrtLlm', `${meant}: {}\nmax_seq_len: 8192\n`, 'generate'))).toEqual([])
  })

  it.each([
    ['--tp 4', '--tensor-parallel-size'],
    ['--pp=2', '--pipeline-parallel-size'],
    ['--dcp 2', '--decode-context-parallel-size'],
    ['--dpl 2', '--data-parallel-size-local'],
  ])('of vLLM with two hyphens before a short name is the one of that name: %s', (words, meant) => {
    expect(misspeltIn(read('vllm', `vllm serve m ${words}`, 'generate'))).toMatchObject([{ meant }])
  })

  it('that a list has is never refused, and one that is far from all is', () => {
    const list = optionsOfVersion(megatron('')) ?? []
    expect(list.length).toBeGreaterThan(800)
    forAll(50, [fc.constantFrom(...list)], (option) => {
      expect(misspeltIn(megatron(option))).toEqual([])
      const other = `--zz${option.slice(2)}-qqq`
      expect(misspeltIn(megatron(other))).toMatchObject([{ option: other }])
    })
  })

  it('of a server or of a config is held to its list', () => {
    const names = (key: string, file: unknown, mode = 'generate') =>
      misspeltIn(read(key, file, mode)).map(({ option, meant }) => [option, meant])
    expect(names('vllm', 'vllm serve m --tensor-paralel-size 8')).toEqual([
      ['--tensor-paralel-size', '--tensor-parallel-size'],
    ])
    expect(names('vllm', 'vllm serve m --no-enable-prefix-caching --compilation_config.mode 3')).toEqual([])
    expect(names('vllm', 'vllm serve m --foo-bar 8')).toEqual([['--foo-bar', null]])
    expect(
      names('maxtext', 'python3 -m maxtext.train base.yml ici_tensr_parallelism=8 steps=3', 'train'),
    ).toEqual([['ici_tensr_parallelism', 'ici_tensor_parallelism']])
  })
})
