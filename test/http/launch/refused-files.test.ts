/** A server's command that its framework refuses to start fails the check that it launches, with the reason. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

async function asked(plan: Record<string, string>, chips = 16, more: Record<string, unknown> = {}) {
  const { status, body } = await agent.post('/validate').send({
    hardware: { chip: 'h100-sxm', chips },
    workload: { mode: 'generate', contextLength: 8192, batchSequences: 1 },
    plan,
    ...more,
  })
  expect([status, body.errors], JSON.stringify(plan)).toEqual([200, undefined])
  const check = body.checks.find(({ name }: { name: string }) => name === 'launchableBy')
  return { ok: body.ok as boolean, check, warnings: (body.warnings as string[]).join('\n') }
}

const big = 'meta-llama/Llama-3.1-405B-Instruct-FP8'
const vllm = (words: string, before = '') => ({ vllm: `${before}vllm serve ${words}` })
const sglang = (words: string) => ({ sglang: `python3 -m sglang.launch_server --model-path ${big} ${words}` })

describe('a server of more ranks than a host has GPUs', () => {
  it.each([
    ['vLLM by tensor', vllm(`${big} -tp 16`)],
    ['vLLM by stages', vllm(`${big} -tp 8 -pp 2`)],
    ['vLLM of two nodes, of four that it needs', vllm(`${big} -tp 16 --nnodes 1`)],
    ['SGLang by tensor', sglang('--tp 16')],
  ])('%s does not start', async (_, plan) => {
    const { ok, check, warnings } = await asked(plan)
    expect([ok, check.ok, check.actual]).toEqual([false, false, 'a file that is refused'])
    expect(check.message).toMatch(/starts 16 ranks on a host of 8 GPUs, and does not start: .*--nnodes/)
    expect(warnings).toMatch(/starts 16 ranks on a host/)
  })

  it.each([
    ['by nodes', vllm(`${big} -tp 16 --nnodes 2 --node-rank 0 --master-addr h`)],
    ['by Ray', vllm(`${big} -tp 16 --distributed-executor-backend ray`)],
    ['by Ray of the script', vllm(`${big} -tp 16`, 'ray start --head\n')],
    ['by SGLang', sglang('--tp 16 --nnodes 2 --node-rank 0 --dist-init-addr h:5000')],
    ['by a number of nodes that the text does not set', sglang('--tp 16 --nnodes "$NODES" --node-rank 0')],
    ['by whoever pastes options alone', { vllm: '--tensor-parallel-size 16' }, { model: 'llama-3.1-405b' }],
  ] as [
    string,
    Record<string, string>,
    Record<string, unknown>?,
  ][])('may start %s', async (_, plan, more?: Record<string, unknown>) => {
    const { check, warnings } = await asked(plan, 16, more)
    expect([check.ok, warnings]).toEqual([true, expect.not.stringMatching(/ranks on a host/)])
  })

  it('is told by the tray of a rack, and not where frameworks are named that do not start it', async () => {
    const rack = { hardware: { chip: 'gb200-nvl72', chips: 8 } }
    expect((await asked(vllm(`${big} -tp 8`), 8, rack)).check.message).toMatch(/host of 4 GPUs/)
    expect((await asked(vllm(`${big} -tp 16`), 16, { require: { launchableBy: [] } })).check).toBeUndefined()
  })
})

describe('options that a server ends at', () => {
  const r1 = 'deepseek-ai/DeepSeek-R1 -tp 16 --nnodes 2 --max-model-len 16384'

  it.each([
    [
      'experts of a model without',
      vllm('meta-llama/Llama-3.1-70B-Instruct -tp 8 -ep'),
      /the model has no experts/,
    ],
    [
      'no JSON',
      vllm(`${r1} --speculative-config '{method:mtp'`),
      /--speculative-config \{method:mtp is no JSON/,
    ],
    ['an open brace', vllm(`${r1} --compilation-config '{"level":'`), /--compilation-config .* is no JSON/],
    ['no JSON for SGLang', sglang("--tp 16 --nnodes 2 --json-model-override-args '{a: 1}'"), /is no JSON/],
    [
      'a removed option',
      sglang('--tp 16 --nnodes 2 --enable-ep-moe'),
      /--enable-ep-moe is no option any more/,
    ],
  ])('%s', async (_, plan, said) => {
    const { check } = await asked(plan)
    expect(check.message).toMatch(said)
  })

  it.each([
    ['JSON', vllm(`${r1} --speculative-config '{"method":"mtp","num_speculative_tokens":1}'`)],
    ['JSON of a variable', vllm(`${r1} --hf-overrides "$OVERRIDES"`)],
    ['a key behind a point', vllm(`${r1} --speculative-config.method mtp`)],
    ['experts of a model with some', vllm(`${r1} -ep`)],
  ])('are none of %s', async (_, plan) => {
    const { check } = await asked(plan)
    expect(check.message ?? '').not.toMatch(/JSON|no experts/)
  })
})

describe('a length beyond that of the model', () => {
  const release = 'meta-llama/Meta-Llama-3-70B-Instruct'
  const long = '-tp 8 --max-model-len 131072'

  it('is refused by vLLM and by SGLang', async () => {
    const own = [
      vllm(`${release} ${long}`),
      { sglang: `python3 -m sglang.launch_server --model-path ${release} --tp 8 --context-length 131072` },
    ]
    for (const plan of own) {
      const { ok, check } = await asked(plan, 8)
      expect([ok, check.ok], JSON.stringify(plan)).toEqual([false, false])
      expect(check.message).toMatch(/a length of 131072 is refused for a model of 8192 positions/)
    }
  })

  it.each([
    ['meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8', 1_048_576],
    ['meta-llama/Llama-4-Scout-17B-16E-Instruct', 10_485_760],
    ['mistralai/Mixtral-8x7B-Instruct-v0.1', 32_768],
    ['mistralai/Mixtral-8x22B-v0.1', 65_536],
    ['Qwen/Qwen3-30B-A3B-Instruct-2507-FP8', 262_144],
  ])('is refused for %s of %i positions', async (release, most) => {
    const said = async (length: number) => {
      const { check } = await asked(vllm(`${release} -tp 4 --max-model-len ${length}`), 8)
      return check.message ?? ''
    }
    expect(await said(most + 1)).toContain(`is refused for a model of ${most} positions`)
    expect(await said(most)).not.toContain('is refused for a model')
  })

  it('is not said of releases that were trained on other lengths', async () => {
    for (const release of ['meta-llama/Llama-4-Scout-17B-16E', 'mistralai/Mistral-7B-Instruct-v0.3']) {
      const { check } = await asked(vllm(`${release} -tp 4 --max-model-len 10485761`), 8)
      expect(check.message ?? '', release).not.toContain('is refused for a model')
    }
  })

  it('has the variable in a command of ours', async () => {
    const question = {
      ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 8 }, top: 1 },
      workload: { mode: 'prefill', promptLength: 8192, batchSequences: 1 },
    }
    const { body } = await service({ search: planning }).post('/optimize').send(question)
    const { commands, notes } = body.plans[0].launch
    expect(commands.vllm.command).toContain('VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 vllm serve')
    expect(commands.sglang.command).toContain('SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1 python3')
    expect(notes.join()).toContain('vLLM: a length of 8193 is beyond the 8192 positions of the model')
    const { model, workload } = question
    const { check } = await asked({ vllm: commands.vllm.command }, 8, { model, workload })
    expect(check.ok).toBe(true)
  })

  it.each([
    ['the variable', vllm(`${release} ${long}`, 'VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 ')],
    ['another config', vllm(`${release} ${long} --hf-overrides '{"rope_scaling":{}}'`)],
    ['a release for longer sequences', vllm(`gradientai/Llama-3-70B-Instruct-Gradient-262k ${long}`)],
  ])('is not by %s', async (_, plan) => {
    const { check } = await asked(plan, 8, { model: 'llama-3-70b' })
    expect(check.ok).toBe(true)
  })
})

it('two devices of a TPU7x that keep copies of heads start, and a check says that no flags are written for them', async () => {
  // AI-Hypercomputer/tpu-recipes, inference/ironwood/vLLM, Qwen3.5-397B on a 2x2x1
  const served =
    'vllm serve Qwen/Qwen3.5-397B-A17B-FP8 --tensor-parallel-size=8 --kv-cache-dtype=fp8 --max-model-len=9216'
  const { check } = await asked({ vllm: served }, 4, {
    hardware: { chip: 'tpu-7x', topology: [2, 2, 1] },
    workload: { mode: 'generate', contextLength: 2048, batchSequences: 32 },
  })
  expect([check.ok, check.message]).toEqual([
    true,
    expect.stringMatching(/No flags are written for vllm: .*copies of 2 key-value heads/),
  ])
})

describe('a mesh of MaxText on a slice', () => {
  const file = (words: string) => ({
    maxtext: `python3 -m maxtext.trainers.pre_train.train model_name=llama3-8b per_device_batch_size=4 max_target_length=8192 remat_policy=full ${words}`,
  })
  const workload = { mode: 'train' }
  const slice = { hardware: { chip: 'tpu-v5p', topology: '4x4x8' }, workload }

  it('does not start on parts of physical axes that it may not split', async () => {
    const { ok, check, warnings } = await asked(
      file('ici_fsdp_parallelism=64 ici_tensor_parallelism=2'),
      0,
      slice,
    )
    expect([ok, check.ok, check.actual]).toEqual([false, false, 'a file that is refused'])
    expect(check.message).toMatch(/parts of physical axes of 4x4x8.*allow_split_physical_axes=true$/)
    expect(warnings).toMatch(/allow_split_physical_axes=true/)
  })

  it.each([
    ['where it may', 'ici_tensor_parallelism=2 allow_split_physical_axes=true', slice],
    ['on whole ones', 'ici_tensor_parallelism=4', slice],
    ['in an order of its own', 'ici_tensor_parallelism=2 custom_mesh=hybrid_ring_64x4', slice],
    [
      'on a host of eight chips',
      'ici_tensor_parallelism=2',
      { hardware: { chip: 'tpu-v6e', chips: 8 }, workload },
    ],
  ])('starts %s', async (_, words, more) => {
    const { check, warnings } = await asked(file(words), 0, more)
    expect([check.ok, warnings]).toEqual([true, expect.not.stringMatching(/allow_split/)])
  })
})

describe('a batch of MaxText on TPUs', () => {
  const slice = { hardware: { chip: 'tpu-v5p', topology: '4x4x8' }, workload: { mode: 'train' } }
  const checked = async (words: string) => {
    const maxtext = `python3 -m maxtext.trainers.pre_train.train model_name=llama3-8b max_target_length=8192 remat_policy=full ${words}`
    return asked({ maxtext }, 0, slice)
  }

  it('does not start where chips would have unequal shares, and the check says what would', async () => {
    const mesh = 'ici_fsdp_parallelism=32 ici_tensor_parallelism=4'
    const { ok, check } = await checked(`${mesh} per_device_batch_size=0.3`)
    expect([ok, check.ok, check.actual]).toEqual([false, false, 'a file that is refused'])
    expect(check.message).toMatch(/38 sequences on 128 devices .* 32 parts .*per_device_batch_size=0\.25$/)
    expect((await checked(`${mesh} per_device_batch_size=0.25`)).check.ok).toBe(true)
  })

  it('is divided to the microbatches of a pipeline before', async () => {
    const mesh = 'ici_fsdp_parallelism=32 ici_pipeline_parallelism=4 num_layers_per_pipeline_stage=8'
    const { check } = await checked(`${mesh} num_pipeline_microbatches=8 per_device_batch_size=3`)
    expect(check.message).toMatch(/384 sequences .* 8 microbatches on 32 parts .*per_device_batch_size=4$/)
    expect((await checked(`${mesh} num_pipeline_microbatches=4 per_device_batch_size=3`)).check.ok).toBe(true)
  })

  it('is shared out as rules of its own say, if it has them', async () => {
    const own = 'ici_fsdp_parallelism=32 ici_tensor_parallelism=4 custom_mesh_and_rule=pure-fsdp'
    expect((await checked(`${own} per_device_batch_size=0.3`)).check.message).not.toMatch(/evenly/)
  })
})

describe('settings of MaxText on GPUs', () => {
  const file = (words: string) => ({
    maxtext: `python3 -m maxtext.trainers.pre_train.train model_name=llama3-8b hardware=gpu attention=cudnn_flash_te max_segments_per_seq=32 per_device_batch_size=1 max_target_length=8192 remat_policy=full ${words}`,
  })
  const checked = async (words: string) => asked(file(words), 16, { workload: { mode: 'train' } })
  const sharded = 'ici_fsdp_parallelism=8 dcn_data_parallelism=2'

  it.each(['fp8', 'te_fp8_delayedscaling'])('do not accumulate gradients in %s', async (type) => {
    const { ok, check } = await checked(`${sharded} quantization=${type} gradient_accumulation_steps=4`)
    expect([ok, check.ok, check.actual]).toEqual([false, false, 'a file that is refused'])
    expect(check.message).toContain(`gradients with quantization=${type}`)
    expect(check.message).toMatch(/gradient_accumulation_steps=4/)
  })

  const shared = 'ici_context_parallelism=2 ici_fsdp_parallelism=4 dcn_data_parallelism=2'

  it.each([
    ['all_gather', ''],
    ['all_gather', 'context_parallel_strategy=all_gather packing=true dataset_type=synthetic'],
    ['ring', 'context_parallel_strategy=ring context_parallel_load_balance=false'],
  ])('do not pack sequences that chips share out by %s: %s', async (strategy, words) => {
    const { ok, check } = await checked(`${shared} ${words}`)
    expect([ok, check.ok, check.actual]).toEqual([false, false, 'a file that is refused'])
    expect(check.message).toMatch(new RegExp(`packed sequences .* not by ${strategy}: .*packing=false`))
  })

  it.each([
    ['with whole sequences over context', `${shared} packing=false`],
    ['with packed ones around a ring', `${shared} context_parallel_strategy=ring`],
  ])('start %s', async (_, words) => {
    expect((await checked(words)).check.ok).toBe(true)
  })

  it.each([
    ['with other scales', 'quantization=te_fp8_currentscaling gradient_accumulation_steps=4'],
    ['in one step', 'quantization=fp8'],
    ['in wider types', 'gradient_accumulation_steps=4'],
  ])('start %s', async (_, words) => {
    expect((await checked(`${sharded} ${words}`)).check.ok).toBe(true)
  })
})
