/** Values of options that are a closed list, and keys of configs, are told from those that there are not: none is taken for another. */
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import type { ProblemError } from '../../api/problems.ts'
import { readerOf } from '../../api/translate/launch/file.ts'
import { misspeltChecks, misspeltIn } from '../../api/translate/launch/misspelt.ts'
import { readAccelerate } from '../../src/launch/accelerate/read.ts'
import { readDeepspeed } from '../../src/launch/deepspeed/read.ts'
import { readMaxtext } from '../../src/launch/maxtext/read/read.ts'
import { maxtextValues } from '../../src/launch/maxtext/read/values.ts'
import { readSglang } from '../../src/launch/sglang/read.ts'
import { sglangValues } from '../../src/launch/sglang/values.ts'
import { readTorchtitan } from '../../src/launch/torchtitan/read/read.ts'
import { torchtitanValues } from '../../src/launch/torchtitan/read/values.ts'
import { readVllm } from '../../src/launch/vllm/read.ts'
import { vllmValues } from '../../src/launch/vllm/values.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

const context = { chips: 8, slices: 1, mode: 'generate', model: null }
const sections = (key: string, value: string) => {
  const [section = '', ...rest] = key.split('.')
  return parse(`[${section}]\n${rest.join('.')} = "${value}"\n`)
}

const readers = [
  [
    'vLLM',
    vllmValues,
    (option: string, value: string) => readVllm(`vllm serve m ${option} ${value}`, context),
  ],
  [
    'SGLang',
    sglangValues,
    (option: string, value: string) =>
      readSglang(`python -m sglang.launch_server --model-path m ${option} ${value}`, context),
  ],
  ['torchtitan', torchtitanValues, (key: string, value: string) => readTorchtitan(sections(key, value), 8)],
  ['MaxText', maxtextValues, (key: string, value: string) => readMaxtext({ [key]: value }, context)],
] as const

describe.each(readers)('%s', (_, values, read) => {
  it.each(Object.entries(values))('has the values of %s, and no others', (option, among) => {
    for (const value of among) expect(read(option, value).misnamed, value).toEqual([])
    expect(read(option, 'fp7').misnamed).toEqual([{ option, value: 'fp7', among }])
  })
})

it('a type of caches that there is no name for is told', () => {
  const notes = (type: string) => readVllm(`vllm serve m --kv-cache-dtype ${type}`, context).notes.join()
  expect(notes('turboquant_k8v4')).toMatch(/--kv-cache-dtype turboquant_k8v4: caches are counted/)
  for (const type of ['auto', 'fp8', 'fp8_ds_mla', 'float16', 'nvfp4_4over6'])
    expect(notes(type), type).not.toMatch(/kv-cache-dtype/)
})

describe('a config of accelerate', () => {
  const read = (version: number, key: string, value: unknown) => {
    const of = { distributed_type: 'FSDP', fsdp_config: { fsdp_version: version, [key]: value } }
    const { plan, misnamed = [] } = readAccelerate(of, context)
    return [plan.zeroStage, misnamed.map(({ option }) => option)]
  }

  it.each([
    [1, 'fsdp_sharding_strategy', 'shard_grad_op', 2],
    [1, 'fsdp_sharding_strategy', 3, 0],
    [1, 'fsdp_reshard_after_forward', false, 3],
    [2, 'fsdp_reshard_after_forward', false, 2],
    [2, 'fsdp_sharding_strategy', 'SHARD_GRAD_OP', 3],
  ])('of version %d shards by %s %s as stage %d', (version, key, value, stage) => {
    expect(read(version, key, value)).toEqual([stage, []])
  })

  it.each([
    [1, 'fsdp_sharding_strategy', 'FULL_SHRD'],
    [1, 'fsdp_sharding_strategy', 6],
    [2, 'fsdp_reshard_after_forward', 'FULL_SHARD'],
  ])('of version %d has no %s %s', (version, key, value) => {
    expect(read(version, key, value)[1]).toEqual([`fsdp_config.${key}`])
  })

  it.each(['FSDP', 'DEEPSPEED'])('has no mixed precision of bf61 (%s)', (kind) => {
    const { misnamed } = readAccelerate({ distributed_type: kind, mixed_precision: 'bf61' }, context)
    expect(misnamed?.map(({ value }) => value)).toEqual(['bf61'])
  })
})

describe('a key of torchtitan', () => {
  const found = (text: string) =>
    misspeltIn(readTorchtitan(parse(text), 8)).map(({ option, value, meant }) => [value ?? option, meant])

  it('that the release does not have is refused, in a section of another name as well', () => {
    expect(found('[parallelism]\ntensor_paralel_degree = 8')).toEqual([
      ['parallelism.tensor_paralel_degree', 'parallelism.tensor_parallel_degree'],
    ])
    expect(found('[parallelisms]\ntensor_parallel_degree = 8')).toEqual([
      ['parallelisms.tensor_parallel_degree', 'parallelism.tensor_parallel_degree'],
    ])
    expect(found('[metrics]\nlog_frq = 8')).toEqual([['metrics.log_frq', 'metrics.log_freq']])
    expect(found('[training.dataloader]\nnum_workers = 2\n[compile]\nenable = true')).toEqual([])
  })

  it("is somebody else's where settings or models are", () => {
    expect(found('[job]\ncustom_config_module = "my.config"\n[mine]\nkey = 1')).toEqual([])
    expect(found('[model]\nname = "flux"\n[encoder]\nkey = 1')).toEqual([])
  })

  it('recomputes by operation or by layers, and optimises with what the release has', () => {
    const selected = (option: string, mode = 'selective') =>
      readTorchtitan(
        parse(`[activation_checkpoint]\nmode = "${mode}"\nselective_ac_option = "${option}"`),
        8,
      ).misnamed?.map(({ value }) => value)
    expect(selected('zzz')).toEqual(['zzz'])
    expect(selected('0')).toEqual(['0'])
    for (const option of ['op', '2']) expect(selected(option)).toEqual([])
    expect(selected('zzz', 'full')).toEqual([])
    expect(found('[optimizer]\nname = "AdamX"')).toEqual([['AdamX', 'Adam']])
    for (const name of ['Adam', 'AdamW']) expect(found(`[optimizer]\nname = "${name}"`)).toEqual([])
  })

  it('names a flavor of the release, or one that is registered for a plan', () => {
    const flavor = (name: string, own: string) => found(`[model]\nname = "${name}"\nflavor = "${own}"`)
    expect(flavor('llama3', '71B')).toEqual([['71B', '70B']])
    expect(flavor('qwen3', '30B-A3B')).toEqual([])
    expect(flavor('llama3', 'shardplan-llama-2-70b')).toEqual([])
    const [check] = misspeltChecks(readTorchtitan(parse('[model]\nflavor = "71B"'), 8), '/plan/torchtitan')
    expect(check).toMatchObject({ name: 'understood', ok: false, actual: '71B' })
    expect(check?.message).toBe(
      'model.flavor is 71B, which torchtitan v0.2.2 does not have: did you mean 70B?',
    )
  })
})

describe('a key of DeepSpeed', () => {
  const found = (config: Record<string, unknown>) =>
    misspeltIn(readDeepspeed(config, context)).map(({ option, meant }) => [option, meant])

  it('that is near one that is read, or near one of its sections, is a slip', () => {
    expect(found({ zero_optimisation: { stage: 3 } })).toEqual([['zero_optimisation', 'zero_optimization']])
    expect(found({ zero_optimization: { stge: 3 } })).toEqual([
      ['zero_optimization.stge', 'zero_optimization.stage'],
    ])
    expect(found({ train_micro_batchsize_per_gpu: 2 })).toEqual([
      ['train_micro_batchsize_per_gpu', 'train_micro_batch_size_per_gpu'],
    ])
    expect(found({ zero_optimization: { stage3_max_live_parameters: 1e9 }, my_own_key: 1 })).toEqual([])
  })

  it('has types of gradients by all their names', () => {
    const read = (type: string) =>
      readDeepspeed({ bf16: { enabled: true }, data_types: { grad_accum_dtype: type } }, context)
    expect(read('float32').precision.gradients).toBe('fp32')
    expect(read('bfloat16').precision.gradients).toBe('bf16')
    expect(read('fp23').misnamed).toMatchObject([{ value: 'fp23' }])
  })
})

it('over HTTP a value of another framework is refused with the nearest, and one that the text does not set is told', async () => {
  const agent = service({ search: planning })
  const asked = (plan: Record<string, string>) =>
    agent.post('/evaluate').send({
      hardware: { chip: 'h100-sxm', chips: 8 },
      workload: { mode: 'generate', contextLength: 4096, batchSequences: 8 },
      plan,
    })
  const vllm = (more: string) => asked({ vllm: `vllm serve meta-llama/Meta-Llama-3-70B -tp 8 ${more}` })
  const sglang = (more: string) =>
    asked({
      sglang: `python -m sglang.launch_server --model-path meta-llama/Meta-Llama-3-70B --tp 8 ${more}`,
    })
  const cases = [
    [
      await vllm('--kv-cache-dtype fp7'),
      /--kv-cache-dtype is fp7, which there is none of; the nearest are fp8/,
    ],
    [await vllm('--dtype fp32'), /--dtype is fp32, which there is none of; there are .*float32/],
    [await vllm('--kv-cache-dtype "$CACHE"'), /--kv-cache-dtype is \$CACHE, which the text does not set/],
    [await sglang('--kv-cache-dtype fp8'), /--kv-cache-dtype is fp8, .*fp8_e/],
    [await sglang('--moe-a2a-backend foo'), /--moe-a2a-backend is foo, .*deepep/],
  ] as const
  for (const [{ status, body }, detail] of cases)
    expect([status, body.errors?.[0]?.detail], String(detail)).toEqual([422, expect.stringMatching(detail)])
})

describe('a file of settings', () => {
  const asked = { chips: 8, slices: 1, mode: 'train', model: null }

  it('may have the comments that hjson, which DeepSpeed reads it by, has', () => {
    const text = '{ // c\n "zero_optimization": {"stage": 2}, /* x */ "train_batch_size": 128,\n}'
    expect(readerOf({ deepspeed: text })(asked).plan.zeroStage).toBe(2)
  })

  it('of several documents, or of none that can be read, is told so without the words of the parser alone', () => {
    const told = (text: string) => {
      try {
        return String(readerOf({ accelerate: text })(asked).faults)
      } catch (error) {
        return (error as ProblemError).faults.map(({ detail }) => detail).join()
      }
    }
    expect(told('a: 1\n---\nb: 2\n')).toMatch(/^holds several documents \(---\)/)
    expect(told('a: [1\nb: 2\n')).toMatch(/^cannot be read as a file of settings: /)
  })
})
