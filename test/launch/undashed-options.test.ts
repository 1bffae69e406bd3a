/** Options whose dashes are others than their parser knows are told, with the dash that is meant; legitimate words without dashes are not. */
import { describe, expect, it } from 'vitest'
import type { LaunchedPlan } from '../../api/schemas/launch.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { misspeltChecks } from '../../api/translate/launch/misspelt.ts'

const starts = {
  vllm: 'vllm serve Qwen/Qwen3-8B',
  sglang: 'python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B',
  tensorrtLlm: 'trtllm-serve Qwen/Qwen3-8B',
  megatron: 'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --seq-length 4096',
  maxtext: 'python3 -m MaxText.train MaxText/configs/base.yml per_device_batch_size=2',
  torchtitan: 'torchrun --nproc-per-node 8 -m torchtitan.train --module llama3 --config llama3_8b',
  megatronBridge: 'torchrun --nproc-per-node 8 run_recipe.py --recipe llama3_8b_pretrain_config',
} as const

type Key = keyof typeof starts

const servers: readonly Key[] = ['vllm', 'sglang', 'tensorrtLlm']

function found(key: Key, words: string, start: string = starts[key]) {
  const mode = servers.includes(key) ? 'generate' : 'train'
  const read = readerOf({ [key]: `${start} ${words}` } as LaunchedPlan)
  const reading = read({ chips: 8, slices: 1, mode, model: null })
  return misspeltChecks(reading, `/plan/${key}`)
}

const told = (key: Key, words: string) =>
  found(key, words).map(({ expected, message }) => [expected, message])

describe('an option', () => {
  it.each<[Key, string, string, string]>([
    ['vllm', '–tensor-parallel-size 4', '--tensor-parallel-size', 'an en dash (U+2013)'],
    ['vllm', '--max-num-seqs 4 —tensor_parallel_size=4', '--tensor_parallel_size', 'an em dash (U+2014)'],
    ['vllm', '–tp 4', '-tp', 'an en dash'],
    ['vllm', '-–tensor-parallel-size 4', '--tensor-parallel-size', 'an en dash'],
    ['vllm', '–frobnicate 4', 'an option of vllm 99d7eb5', 'an en dash'],
    ['vllm', '--seed 0 -tensor-parallel-size 4', '--tensor-parallel-size', 'one dash'],
    ['vllm', '-trust-remote-code', '--trust-remote-code', 'one dash'],
    ['sglang', '–tp 4', '--tp', 'an en dash'],
    ['sglang', '−dp-size 4', '--dp-size', 'a minus sign (U+2212)'],
    ['sglang', '-tp 4', '--tp', 'one dash'],
    ['tensorrtLlm', '–tp_size 4', '--tp_size', 'an en dash'],
    ['tensorrtLlm', '-tp_size 4', '--tp_size', 'one dash'],
    ['megatron', '–tensor-model-parallel-size 4', '--tensor-model-parallel-size', 'an en dash'],
    ['megatron', '-tensor-model-paralel-size 4', '--tensor-model-parallel-size', 'one dash'],
    ['maxtext', '-ici_fsdp_parallelism=64', 'ici_fsdp_parallelism=…', 'one dash'],
    ['maxtext', '–ici_fsdp_parallelism=64', 'ici_fsdp_parallelism=…', 'an en dash'],
    ['maxtext', '--foo bar', 'an option of maxtext e591f30', 'dashes'],
    ...(['–', '-'] as const).map((dash): [Key, string, string, string] => [
      'torchtitan',
      `${dash}parallelism.tensor_parallel_degree 4`,
      '--parallelism.tensor_parallel_degree',
      dash === '-' ? 'one dash' : 'an en dash',
    ]),
    ['torchtitan', '—frob.nicate=4', 'an option of torchtitan b5bcd76', 'an em dash'],
    ['megatronBridge', '–tp 4', '-tp', 'an en dash'],
    ['megatronBridge', '-–seq_length 4096', '--seq_length', 'an en dash'],
    [
      ...(['megatronBridge', '--model.tensor_model_parallel_size=4'] as const),
      ...(['model.tensor_model_parallel_size=…', 'dashes'] as const),
    ],
  ])('of %s in %s is %s, and begins with %s', (key, words, meant, dash) => {
    const message = expect.stringContaining(`begins with ${dash}`)
    expect(told(key, words)).toEqual([[meant, message]])
  })

  it.each<[Key, string, string]>([
    ['vllm', 'tensor-parallel-size 4', '--tensor-parallel-size'],
    ['vllm', '--max-num-seqs 4 tensor-parallel-size 4', '--tensor-parallel-size'],
    ['vllm', '--enable-expert-parallel tensor-parallel-size=4', '--tensor-parallel-size'],
    ['tensorrtLlm', '--max_batch_size 4 tp_size 4', '--tp_size'],
    ['megatron', '--bf16 tensor-model-parallel-size 4', '--tensor-model-parallel-size'],
    [
      ...(['torchtitan', 'parallelism.tensor_parallel_degree 4'] as const),
      '--parallelism.tensor_parallel_degree',
    ],
  ])('of %s in %s has no dashes', (key, words, meant) => {
    expect(told(key, words)).toEqual([[meant, expect.stringContaining('has no dashes before it')]])
  })

  it('of MaxText without a sign is told', () => {
    expect(told('maxtext', 'ici_fsdp_parallelism 64')).toEqual([
      ['ici_fsdp_parallelism=…', expect.stringContaining('has no = behind it')],
    ])
  })

  it("of a program of people's own is told where Megatron-LM has it", () => {
    const own = (words: string) => found('megatron', words, starts.megatron.replace('pretrain_gpt', 'my'))
    expect(own('–tensor-model-parallel-size 4')).toHaveLength(1)
    expect(own('–frobnicate 4 -f 3')).toEqual([])
  })

  it('with a wrong dash takes nothing from the option before it', () => {
    const { plan } = readerOf({ vllm: `${starts.vllm} --tensor-parallel-size 2 –max-num-seqs 4` })({
      ...{ chips: 8, slices: 1, mode: 'generate', model: null },
    })
    expect(plan.mesh).toMatchObject({ tensor: 2 })
  })
})

it.each<[Key, string]>([
  ['vllm', '-tp 4 -O3 -cc {} --served-model-name max-model-len --max-model-len -1'],
  ['vllm', '--served-model-name a tensor b && echo tensor-parallel-size 4 –tp'],
  ['vllm', '--chat-template "– a – b" --default-chat-template-kwargs \'{"a": "–b"}\''],
  ['sglang', '--chunked-prefill-size -1 --tp 4'],
  [
    'megatron',
    '--recompute-modules mlp core_attn --wandb-exp-name sequence-parallel --data-path 0.5 a-b 0.5 c_d',
  ],
  ['megatron', '2>&1 | tee –log'],
  ['torchtitan', 'activation-checkpoint:full --training.steps -1 --metrics.save_tb_folder parallelism.tb'],
  ['torchtitan', '--job.description training.seq_len --parallelism.tensor-parallel-degree=4'],
  ['megatronBridge', '-tp 4 -ng 8 --dataset mock model.seq_length=4096 ~model.x +model.y=-1 ++train.z=1'],
  ['maxtext', 'run_name=a-b steps=3 --verbosity=1 $MORE | tee -a log_file x'],
])('words of %s that are no options are not told: %s', (key, words) => {
  expect(found(key, words)).toEqual([])
})
