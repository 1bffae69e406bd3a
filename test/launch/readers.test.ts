/** Configs and commands with any keys, options and values are read quickly, and nothing is thrown. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAccelerate } from '../../src/launch/accelerate/read.ts'
import { readDeepspeed } from '../../src/launch/deepspeed/read.ts'
import { readMaxtext } from '../../src/launch/maxtext/read/read.ts'
import { readMegatron } from '../../src/launch/megatron/read/read.ts'
import { modulesOf } from '../../src/launch/megatron/recomputation.ts'
import { readBridge } from '../../src/launch/megatron-bridge/read.ts'
import type { ReadingContext } from '../../src/launch/read/reading.ts'
import { readSglang } from '../../src/launch/sglang/read.ts'
import { readTensorrt } from '../../src/launch/tensorrt-llm/read.ts'
import { readTorchtitanCommand } from '../../src/launch/torchtitan/read/command.ts'
import { readVllm } from '../../src/launch/vllm/read.ts'
import { catalogueNames, unknownWords } from '../../src/model/release-name.ts'
import { policyNamed } from '../../src/recipe/policy.ts'
import { forAll, law } from '../law.ts'

const context: ReadingContext = {
  chips: 16,
  slices: 1,
  mode: null,
  model: {
    ...{ layers: 32, latent: true, parallelBlocks: false, maxSequenceLength: 8192 },
    ...{ experts: true, sharedExperts: true, denseLayers: true, recurrent: false },
  },
}

const value = fc.oneof(
  fc.constantFrom(-1, 0, 1, 2, 3, 8, 1.5, 1e300, '', 'x', '8', 'auto', true, null),
  fc.jsonValue({ maxDepth: 2 }),
)
const keys = [
  ...[
    'ici_fsdp_parallelism',
    'dcn_data_parallelism',
    'per_device_batch_size',
    'remat_policy',
    'num_experts',
    'model_name',
  ],
  ...[
    'zero_optimization',
    'stage',
    'train_batch_size',
    'train_micro_batch_size_per_gpu',
    'bf16',
    'tensor_parallel',
    'optimizer',
  ],
  ...[
    'distributed_type',
    'num_processes',
    'fsdp_config',
    'parallelism_config',
    'fsdp_version',
    'tp_size',
    'mixed_precision',
  ],
  ...[
    'tensor_parallel_size',
    'moe_expert_parallel_size',
    'max_batch_size',
    'kv_cache_config',
    'enable_attention_dp',
    '__proto__',
  ],
]
const config = fc.dictionary(
  fc.constantFrom(...keys),
  fc.oneof(value, fc.dictionary(fc.constantFrom(...keys), value)),
)

const pieces = [
  ...[
    'vllm serve',
    'python -m sglang.launch_server',
    'trtllm-serve',
    'torchrun -m torchtitan.train',
    'deepseek-ai/DeepSeek-R1',
  ],
  ...[
    '-tp',
    '--tp',
    '--tensor-parallel-size',
    '--data-parallel-size',
    '-dp=8',
    '--ep-size',
    '--enable-dp-attention',
    '--max-model-len',
  ],
  ...[
    '--module',
    '--config',
    'llama3_8b',
    '--parallelism.tensor_parallel_degree',
    '--training.max_context_length',
    'activation-checkpoint:',
  ],
  ...[
    '0',
    '8',
    '1e9',
    '999999999999',
    '-1',
    '32k',
    'x',
    '"',
    "'",
    '$(',
    '$A',
    '\n',
    '\\\n',
    '{"attn_dp_size": 8}',
    '=',
  ],
]
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(' '))

describe('anything', () => {
  law('in place of a config is read', 300, [config], (given) => {
    expect(readMaxtext(given, context).framework).toBe('maxtext')
    expect(readDeepspeed(given, context).framework).toBe('deepspeed')
    expect(readAccelerate(given, context).framework).toBe('accelerate')
    expect(readTensorrt(null, given, context).framework).toBe('tensorrt-llm')
  })

  law('in place of a command is read', 300, [text], (given) => {
    expect(readVllm(given, context).framework).toBe('vllm')
    expect(readSglang(given, context).framework).toBe('sglang')
    expect(readTensorrt(given, {}, context).framework).toBe('tensorrt-llm')
    expect(readTorchtitanCommand(given, { chips: 16 }, () => ({})).framework).toBe('torchtitan')
    expect(readBridge(given, context).framework).toBe('megatron-bridge')
  })
})

describe('a command of Megatron-LM', () => {
  const options = [
    ...['--recompute-granularity selective', '--recompute-modules core_attn', '--recompute-activations'],
    ...['--tp-comm-overlap', '--overlap-grad-reduce', '--overlap-param-gather', '--cp-comm-type a2a'],
    ...['--num-layers-per-virtual-pipeline-stage 2', '--sequnce-parallel', '--use-distributed-optimizer'],
  ]

  it('has the same options that are not understood, whether its ranks divide the GPUs or not', () => {
    const asked = fc.record({ some: fc.subarray(options), chips: fc.integer({ min: 1, max: 64 }) })
    forAll(50, [asked], ({ some, chips }) => {
      const line = `pretrain_gpt.py --num-layers 32 --tensor-model-parallel-size 2 --pipeline-model-parallel-size 3 ${some.join(' ')}`
      const { notUnderstood } = readMegatron(line, chips)
      expect(notUnderstood).toEqual(some.filter((option) => option === '--sequnce-parallel'))
    })
  })
})

it.each([
  ['--recompute-activations', '--recompute-granularity selective'],
  [
    '--checkpoint-activations',
    '--recompute-granularity full --recompute-method uniform --recompute-num-layers 1',
  ],
  [
    '--activations-checkpoint-method uniform',
    '--recompute-granularity full --recompute-method uniform --recompute-num-layers 1',
  ],
  [
    '--activations-checkpoint-method=block --activations-checkpoint-num-layers 3',
    '--recompute-granularity full --recompute-method block --recompute-num-layers 3',
  ],
  ['--use-custom-fsdp --ckpt-format fsdp_dtensor', '--use-megatron-fsdp --ckpt-format fsdp_dtensor'],
  [
    '--use-torch-fsdp2 --no-gradient-accumulation-fusion --untie-embeddings-and-output-weights',
    '--use-megatron-fsdp --ckpt-format fsdp_dtensor --no-gradient-accumulation-fusion --untie-embeddings-and-output-weights',
  ],
])('%s, an older name in Megatron-LM, is read as %s', (older, ours) => {
  const read = (option: string) => readMegatron(`pretrain_gpt.py --num-layers 32 ${option}`, 8)
  expect(read(older)).toEqual({ ...read(ours), known: expect.anything(), ignored: expect.anything() })
  expect(read(older).plan).not.toEqual(read('').plan)
})

it.each([
  ['--fp8-hybrid', '--fp8-format hybrid'],
  ['--fp8-e4m3', '--fp8-format e4m3'],
])('%s of 2023 multiplies in fp8 as %s does', (older, ours) => {
  const read = (option: string) => readMegatron(`pretrain_gpt.py --num-layers 32 --bf16 ${option}`, 8)
  expect(read(older).precision.compute).toBe('fp8')
  expect(read(older).precision).toEqual(read(ours).precision)
  expect(read(older).notUnderstood).toEqual([])
})

it('DeepEP of Megatron-LM is read by its older name, which takes the flex dispatcher too', () => {
  const read = (options: string) =>
    readMegatron(`pretrain_gpt.py --num-experts 8 --expert-model-parallel-size 8 ${options}`, 8)
  const { assumptions, faults, notUnderstood } = read('--moe-token-dispatcher-type flex --moe-enable-deepep')
  expect([assumptions.hierarchicalDispatch, faults, notUnderstood]).toEqual([true, [], []])
  expect(read('--moe-token-dispatcher-type alltoall --moe-enable-deepep').faults.join()).toContain(
    'takes --moe-enable-deepep only with --moe-token-dispatcher-type flex',
  )
})

it('what leaves for the host by module, and exchanges in two levels, are told as not counted', () => {
  const { notes, notUnderstood } = readMegatron(
    'pretrain_gpt.py --context-parallel-size 8 --cp-comm-type a2a+p2p --hierarchical-context-parallel-sizes 4 2 --fine-grained-activation-offloading --offload-modules core_attn attn_proj',
    8,
  )
  expect(notUnderstood).toEqual([])
  expect(notes.join()).toContain(
    '--fine-grained-activation-offloading core_attn attn_proj: what these modules',
  )
  expect(notes.join()).toContain('--cp-comm-type a2a+p2p is not counted')
})

describe('modules that Megatron-LM recomputes', () => {
  const read = (modules: readonly string[], model = '--num-layers 32') => {
    const line = `pretrain_gpt.py ${model} --recompute-granularity selective --recompute-modules ${modules.join(' ')}`
    return readMegatron(line, 8)
  }

  it('are the policy that recomputes them, in any order', () => {
    for (const [policy, modules] of Object.entries(modulesOf)) {
      const model = policyNamed(policy)?.models === 'experts' ? '--num-layers 32 --num-experts 8' : undefined
      expect(read([...modules].reverse(), model).plan).toMatchObject({ rematerialization: policy })
    }
  })

  it('are counted as kept where no policy has them beside the others', () => {
    const { plan, notes } = read(['mla_up_proj', 'layernorm'])
    expect(plan).toMatchObject({ rematerialization: 'mla_up_proj' })
    expect(notes.join()).toMatch(/layernorm: counted as kept/)
    expect(read(['layernorm']).plan).toMatchObject({ rematerialization: 'none' })
    expect(read(['moe_act']).plan).toMatchObject({ rematerialization: 'none' })
  })

  it('are counted as kept where dense MLPs are those of a few layers, or may be', () => {
    for (const model of ['--num-layers 32 --num-experts 8', '']) {
      const { plan, notes } = read(['mlp'], model)
      expect(plan).toMatchObject({ rematerialization: 'none' })
      expect(notes.join()).toMatch(/mlp: counted as kept/)
    }
  })

  it('leave open what is recomputed where whole experts are, and say that memory is not told', () => {
    const { plan, notes } = read(
      ['mla_up_proj', 'moe', 'mlp'],
      '--num-layers 61 --num-experts 256 --multi-latent-attention',
    )
    expect(plan).not.toHaveProperty('rematerialization')
    expect(notes.join()).toContain('chosen by what fits, and this says nothing of memory')
  })

  it('never leave it to a search what else is recomputed, which would make any file fit', () => {
    const model = '--num-layers 61 --num-experts 256 --multi-latent-attention'
    for (const other of ['mlp', 'core_attn', 'shared_experts', 'mhc']) {
      const { plan, notes } = read(['mla_up_proj', other, 'moe_act', 'layernorm'], model)
      expect(plan).toMatchObject({ rematerialization: 'layernorm+mla_up_proj+moe_act' })
      expect(notes.join()).toContain(`--recompute-modules ${other}: counted as kept`)
    }
  })
})

describe('a command of Megatron Bridge', () => {
  it('is read by its conveniences and overrides, of which the last wins, and lists what it has no row for', () => {
    const reading = readBridge(
      'torchrun --nnodes 4 --nproc-per-node 8 scripts/training/run_recipe.py --model llama31_70b --mode pretrain -tp 8 -pp 2 -gb 64 model.sequence_parallel=true model.pipeline_model_parallel_size=4 mixed_precision=bf16_with_mxfp8_mixed train.micro_batch_size=1 dataset.seq_length=8192 optimizer.lr=1e-4 model.frobnicate=3',
      { ...context, chips: null },
    )
    expect(reading).toMatchObject({
      named: 'llama-3.1-70b',
      hardware: { chips: 32 },
      workload: { batchSequences: 64, sequenceLength: 8192 },
      precision: { weights: 'bf16', compute: 'fp8', gradients: 'fp32' },
      plan: { mesh: { tensor: 8, pipeline: 4, data: 1 }, microbatches: 64, stageLayers: [8, 8, 8, 8] },
      ignored: ['--mode pretrain', 'optimizer.lr=1e-4'],
      notUnderstood: ['model.frobnicate=3'],
      faults: [],
    })
  })

  it('has the length of its data, and the length of its model where nothing says another, with a word', () => {
    const read = (said: string) =>
      readBridge(`python scripts/training/run_recipe.py --model llama3_8b ${said}`, { chips: 8, model: null })
    const [both, alone] = [read('-sl 4096 model.seq_length=8192'), read('model.seq_length=8192')]
    expect([both.workload.sequenceLength, both.notUnderstood, both.notes.join()]).toEqual([
      4096,
      [],
      expect.not.stringContaining('dataset.seq_length'),
    ])
    expect([alone.workload.sequenceLength, alone.notes.join()]).toEqual([
      8192,
      expect.stringContaining('say that one'),
    ])
    expect(read('dataset.sequence_length=2048').workload).toMatchObject({ sequenceLength: 2048 })
  })

  it('shares out optimizer states as recipes do, unless both configs say that it does not', () => {
    const [ddp, optimizer] = ['ddp', 'optimizer'].map((one) => `${one}.use_distributed_optimizer=false`)
    const stage = (said: string) =>
      readBridge(`python scripts/training/run_recipe.py --model llama3_8b ${said}`, { chips: 8, model: null })
        .plan.zeroStage
    expect([stage(''), stage(`${ddp}`), stage(`${ddp} ${optimizer}`)]).toEqual([1, 1, 0])
  })

  it('has the GPUs that the name of its recipe counts, where nobody says more', () => {
    const command =
      'python scripts/training/run_recipe.py --recipe qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config -ep 8'
    const reading = readBridge(command, { chips: null, model: null })
    expect(reading).toMatchObject({ named: 'qwen3-30b-a3b', hardware: { chips: 16 }, faults: [] })
    expect(reading.plan).toMatchObject({ mesh: { expert: 8, data: 2 } })
  })
})

it('machines of accelerate start as many processes each', () => {
  for (const distributed_type of ['FSDP', 'DEEPSPEED']) {
    const faults = (num_machines: number) =>
      readAccelerate({ distributed_type, num_processes: 8, num_machines }, context).faults.join()
    expect(faults(3)).toContain('num_processes 8 are not as many on each of num_machines 3')
    expect(faults(2)).not.toContain('num_machines')
  }
})

describe('a config of DeepSpeed', () => {
  it('in two half types at once is refused, as it refuses it', () => {
    const both = { bf16: { enabled: true }, fp16: { enabled: true } }
    expect(readDeepspeed(both, context).faults.join()).toContain('both are enabled')
    for (const fp16 of [{ enabled: false }, { enabled: 'auto' }])
      expect(readDeepspeed({ ...both, fp16 }, context).faults.join()).not.toContain('both')
  })

  it('leaves a type open that the trainer fills in, with a note', () => {
    const read = (enabled: unknown) => readDeepspeed({ bf16: { enabled } }, context)
    expect(read('auto').precision).not.toHaveProperty('weights')
    expect(read('auto').notes.join()).toMatch(/is auto, .* bf16, unless/)
    expect(read(false).precision).toMatchObject({ weights: 'fp32' })
    expect(read(true).notes.join()).not.toContain('is auto')
  })

  it('says the third of three sizes of batches by the two others, and what they contradict', () => {
    const read = (sizes: object) => readDeepspeed({ zero_optimization: { stage: 2 }, ...sizes }, context)
    const [all, micro, steps] = [
      'train_batch_size',
      'train_micro_batch_size_per_gpu',
      'gradient_accumulation_steps',
    ]
    expect(read({ [all as string]: 64, [micro as string]: 2 }).plan.microbatches).toBe(2)
    expect(read({ [micro as string]: 2, [steps as string]: 4 }).workload.batchSequences).toBe(128)
    expect(read({ [all as string]: 64, [micro as string]: 3 }).faults.join()).toMatch(
      /train_batch_size 64 is not/,
    )
    expect(read({ [all as string]: 'auto' }).plan.microbatches).toBeUndefined()
  })
})

describe('a model as launch files name it', () => {
  it.each([
    ['meta-llama/Meta-Llama-3.1-70B-Instruct-FP8', 'llama-3.1-70b'],
    ['Llama-2-70b-chat-hf', 'llama-2-70b'],
    ['llama2-70b', 'llama-2-70b'],
    ['deepseek3-671b', 'deepseek-v3'],
    ['deepseek3-671b-batchsplit', 'deepseek-v3'],
    ['llama3-405b', 'llama-3.1-405b'],
    ['deepseek-ai/DeepSeek-R1-0528', 'deepseek-r1'],
    ['meta-llama/Llama-4-Maverick-17B-128E-Instruct', 'llama-4-maverick'],
    ['mistralai/Mixtral-8x7B-Instruct-v0.1', 'mixtral-8x7b'],
    ['gpt3-175b', 'gpt-3-175b'],
    ['deepseek-ai/DeepSeek-R1-Distill-Llama-70B', 'llama-3.3-70b'],
    ['Qwen/Qwen3-235B-A22B-Thinking-2507-FP8', 'qwen3-235b-a22b-2507'],
    ['mistralai/Devstral-Small-2507', 'mistral-small-24b'],
    ['CohereLabs/c4ai-command-r-08-2024', 'command-r-08-2024'],
    ['MiniMaxAI/MiniMax-M2.5', 'minimax-m2'],
  ])('%s may be %s', (written, name) => {
    expect(catalogueNames(written)).toContain(name)
  })

  it('has no word that means nothing, but behind an owner', () => {
    expect(catalogueNames('llama-3-8b-foo')).toEqual(['llama-3-8b-foo'])
    expect(catalogueNames('acme/Llama-3-8B-foo')).toContain('llama-3-8b')
    expect(unknownWords('acme/Llama-3-8B-foo-Instruct', 'llama-3-8b')).toEqual(['foo'])
    for (const one of [
      'Llama-3-8B-Instruct-FP8-dynamic',
      'Llama-3-8b-AWQ-INT4',
      'llama-3-8b-it',
      'llama-3-8b-base',
    ]) {
      expect(catalogueNames(one), one).toContain('llama-3-8b')
      expect(unknownWords(one, 'llama-3-8b')).toEqual([])
    }
  })

  it('is no other: what was distilled into it is not the teacher, and a size is a model', () => {
    expect(catalogueNames('deepseek-ai/DeepSeek-R1-Distill-Llama-70B')).not.toContain('deepseek-r1')
    expect(catalogueNames('google/gemma-2-9b')).not.toContain('gemma-2')
    expect(catalogueNames('Qwen/Qwen3-Coder-480B-A35B-Instruct')).not.toContain('qwen3')
    expect(catalogueNames('microsoft/Phi-4-mini-instruct')).not.toContain('phi-4')
    expect(catalogueNames('zai-org/GLM-4.7-Flash')).not.toContain('glm-4.6')
  })
})
