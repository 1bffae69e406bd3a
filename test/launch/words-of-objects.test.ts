/** Words of a file that every object of JavaScript has too, such as `constructor`, are words as others are: no table has a row for them. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ProblemError } from '../../api/problems.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import type { ReadingContext } from '../../src/launch/read/reading.ts'

const words = ['constructor', '__proto__', 'toString']

const optionsOf = (framework: string): readonly string[] => {
  const { names, later = [] } = JSON.parse(readFileSync(`fixtures/options/${framework}.json`, 'utf8'))
  return [...names, ...later]
}

type Fields = Readonly<Record<string, unknown>>
type Written = (name: string, value: string) => string | Fields

const command =
  (start: string): Written =>
  (name, value) =>
    name.startsWith('-') ? `${start} ${name} ${value}` : `${start} ${name}=${value}`

const nested: Written = (name, value) => {
  const parts = name.split('.')
  return JSON.parse(
    `${parts.map((part) => `{${JSON.stringify(part)}:`).join('')}${JSON.stringify(value)}${'}'.repeat(parts.length)}`,
  )
}

const toml: Written = (name, value) => {
  const [section = '', key = 'a'] = name.split('.')
  return `[model]\nname = "llama3"\nflavor = "8B"\n[${section}.own]\n[${section}]\n${key} = "${value}"\n`.replace(
    '[model.own]\n[model]\n',
    '',
  )
}

const performance = [
  ...['-c', '--use_megatron_fsdp', '--moe_a2a_overlap', '--moe_flex_dispatcher_backend', '--cuda_graph_impl'],
  ...['--use_tokendrop', '--nccl_ub', '--task', '--recompute_modules', '--cuda_graph_scope', '-rl', '-ol'],
]

const files: readonly (readonly [key: string, names: readonly string[], written: Written])[] = [
  ['megatron', optionsOf('megatron'), command('torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 2')],
  ['megatronBridge', performance, command('python run_script.py -m llama3 -mr 8b -ng 8')],
  [
    'megatronBridge',
    optionsOf('megatron-bridge').flatMap((name) => [name, `model.${name}`]),
    command('torchrun --nproc-per-node 8 run_recipe.py --recipe llama3_8b'),
  ],
  ['torchtitan', optionsOf('torchtitan'), toml],
  ['torchtitan', optionsOf('torchtitan-main'), toml],
  ['maxtext', optionsOf('maxtext'), command('python3 -m MaxText.train configs/base.yml')],
  ['maxtext', optionsOf('maxtext'), nested],
  ['deepspeed', optionsOf('deepspeed'), nested],
  ['accelerate', ['distributed_type', 'mixed_precision', 'fsdp_config.fsdp_sharding_strategy'], nested],
  ['vllm', optionsOf('vllm'), command('vllm serve a/b')],
  ['sglang', optionsOf('sglang'), command('python -m sglang.launch_server --model-path a/b')],
  ['tensorrtLlm', optionsOf('tensorrt-llm'), nested],
  ['tensorrtLlm', optionsOf('tensorrt-llm'), command('trtllm-serve a/b')],
]

const contexts: readonly ReadingContext[] = ['train', 'generate'].map((mode) => ({
  ...{ chips: 8, slices: 1, mode, model: null },
}))

/** What a file is read as; null where it is refused. */
function read(key: string, file: string | Fields, context: ReadingContext): unknown {
  try {
    return readerOf({ [key]: file } as never)(context)
  } catch (error) {
    if (error instanceof ProblemError) return null
    throw error
  }
}

/** Whether there is a member of all objects somewhere in it. */
function holdsMembers(value: unknown): boolean {
  if (typeof value === 'function' || value === Object.prototype) return true
  if (value instanceof Map || value instanceof Set) return holdsMembers([...value])
  if (typeof value === 'string') return value.includes('[native code]')
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsMembers)
}

it.each(files)('as a value, a key or an option in a file of %s', (key, names, written) => {
  const held = words.flatMap((word) =>
    [
      ...names.map((name) => [name, word] as const),
      [word, '1'] as const,
      [`--${word}`, word] as const,
    ].filter(([name, value]) =>
      contexts.some((context) => holdsMembers(read(key, written(name, value), context))),
    ),
  )
  expect(held).toEqual([])
})
