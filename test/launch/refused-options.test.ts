/** Options that a framework does not have are told from those that it has, in files of strangers as well. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { misspeltChecks, misspeltIn } from '../../api/translate/launch/misspelt.ts'
import { optionsOfVersion, valueKindOf } from '../../api/translate/launch/option-lists.ts'
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
    // argparse takes no underscore for a hyphen.
    expect(found('--tensor_model_parallel_size 8')).toEqual([
      ['--tensor_model_parallel_size', '--tensor-model-parallel-size'],
    ])
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
      const value = { int: ' 1', float: ' 0.5', flag: '' }
      const kind = valueKindOf(option, megatron('')) ?? 'flag'
      expect(misspeltIn(megatron(option + value[kind]))).toEqual([])
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

describe('an option on which no plan depends', () => {
  const vllm = (options: string) => read('vllm', `vllm serve org/m ${options}`, 'generate')
  const sglang = (options: string) =>
    read('sglang', `python -m sglang.launch_server --model-path m ${options}`, 'generate')
  const texts = (reading: ReturnType<typeof read>) =>
    misspeltChecks(reading, '/plan').map(({ message }) => message)

  it.each([
    [megatron('--lr foo'), '--lr is foo, no number, which megatron core_v0.19.0 does not take'],
    [megatron('--weight-decay --bf16'), '--weight-decay is empty, no number'],
    [megatron('--save-interval 1.5'), '--save-interval is 1.5, no whole number'],
    [megatron('--no-save-optim true'), '--no-save-optim has a value, true'],
    [vllm('--trust-remote-code true'), '--trust-remote-code has a value, true, which vllm'],
    [sglang('--enable-metrics=1'), '--enable-metrics has a value, 1, which sglang'],
  ])('has a value that its parser takes: %#', (reading, said) => {
    expect(texts(reading)).toEqual([expect.stringContaining(said)])
  })

  it('may have any that the parser takes, or one that is not known', () => {
    const right =
      '--lr 1.5e-4 --min-lr -1 --weight-decay .1 --clip-grad inf --save-interval 1_000 --log-interval $N --no-save-optim'
    expect(texts(megatron(right))).toEqual([])
    expect(texts(megatron('--lr foo', 'my/pretrain.py'))).toEqual([])
    expect(texts(vllm('--trust-remote-code --enable-auto-tool-choice --port 8000'))).toEqual([])
    expect(texts(read('vllm', 'vllm serve --trust-remote-code org/m', 'generate'))).toEqual([])
  })

  it('of SGLang that begins several of its options is ambiguous', () => {
    expect(sglang('--tp 8 --pp 2').refusals).toEqual([expect.stringContaining('ambiguous')])
    expect(sglang('--tp 8 # not --pp 2').refusals).toEqual([])
    expect(sglang('--tp 8 --pp-size 2').refusals).toEqual([])
  })
})
