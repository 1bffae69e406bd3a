/** What Megatron-LM asserts at its start is refused, with the options that it is about. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { choices } from '../../../src/launch/megatron/read/asserted/choices.ts'
import { listedValues } from '../../../src/launch/megatron/read/asserted/listed-values.ts'
import { apart, only } from '../../../src/launch/megatron/read/asserted/pairs.ts'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { readBridge } from '../../../src/launch/megatron-bridge/read.ts'
import { catalogueChip } from '../../catalogue.ts'

const model =
  '--num-layers 8 --hidden-size 8192 --num-attention-heads 64 --seq-length 8192 --max-position-embeddings 8192'
const batch = '--micro-batch-size 1 --global-batch-size 64'

const read = (options: string, said = `${model} ${batch}`, start = 'torchrun --nproc-per-node 8') =>
  readMegatron(`${start} pretrain_gpt.py ${said} ${options}`, 8)

const listed: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync('fixtures/options/megatron.json', 'utf8'),
).values.choices

/** A setting, with a value of the option where it needs one. */
const written = (setting: string) =>
  setting
    .split(/ (?=--)/)
    .map((one) => (one.includes(' ') || !(one in values) ? one : `${one} ${values[one]}`))
    .join(' ')

const values: Readonly<Record<string, string | number>> = {
  '--fp8-format': 'hybrid',
  '--fp4-format': 'e2m1',
  '--recompute-method': 'uniform',
  '--recompute-num-layers': 1,
  '--recompute-granularity': 'selective',
  '--moe-shared-expert-intermediate-size': 1024,
  '--moe-expert-capacity-factor': 1,
  '--moe-expert-rank-capacity-factor': 1.5,
  '--moe-router-group-topk': 2,
  '--moe-router-num-groups': 4,
  '--cpu-offloading-num-layers': 2,
  '--pipeline-model-parallel-layout': "'Et*4|t*4L'",
  '--hybrid-layer-pattern': 'M*-E',
  '--decoder-first-pipeline-num-layers': 2,
  '--decoder-last-pipeline-num-layers': 2,
  '--num-layers-per-virtual-pipeline-stage': 2,
  '--num-virtual-stages-per-pipeline-rank': 2,
}

describe('options of Megatron-LM', () => {
  it.each(only)('$setting are refused without $needs', ({ setting, needs }) => {
    const said = `Megatron-LM takes ${setting} only with ${needs.join(' or ')}`
    expect(read(written(setting)).faults).toContain(said)
    for (const one of needs) {
      expect(read(`${written(setting)} ${written(one)}`).faults).not.toContain(said)
    }
  })

  it.each(
    apart.flatMap(({ settings, besides }) =>
      settings.flatMap((one) => besides.map((other) => [one, other] as const)),
    ),
  )('%s are refused beside %s', (one, other) => {
    const said = `Megatron-LM does not take ${one} with ${other}`
    expect(read(`${written(one)} ${written(other)}`).faults).toContain(said)
    expect(read(written(one)).faults).not.toContain(said)
    expect(read(written(other)).faults).not.toContain(said)
  })

  const experts = '--num-experts 8'
  const groups = `${experts} --moe-router-group-topk 2 --moe-router-num-groups`
  const tensor = '--tensor-model-parallel-size 2'
  const inTwo = '--pipeline-model-parallel-size 2'
  const spread = '--expert-model-parallel-size 4'
  const virtual = '--num-virtual-stages-per-pipeline-rank'

  it.each([
    [
      '--hidden-size 8200',
      /^--hidden-size 8200 is not divided by --num-attention-heads 64, /,
      '--kv-channels 128',
    ],
    [
      '--max-position-embeddings 4096',
      /^--max-position-embeddings 4096 is less than --seq-length 8192$/,
      '--seq-length 4096',
    ],
    [spread, /^--expert-model-parallel-size 4 needs --num-experts$/, experts],
    [
      `--num-experts 6 ${spread}`,
      /^--num-experts 6 is not divided by --expert-model-parallel-size 4$/,
      experts,
    ],
    [`--tp-comm-overlap ${tensor}`, /^--tp-comm-overlap needs --sequence-parallel, /, '--sequence-parallel'],
    ['--tp-comm-overlap --sequence-parallel', /^--tp-comm-overlap needs --sequence-parallel, /, tensor],
    [
      `${experts} ${tensor}`,
      /^--num-experts 8 with --tensor-model-parallel-size 2 needs --sequence/,
      '--sequence-parallel',
    ],
    [`${virtual} 2`, /^--num-virtual-stages-per-pipeline-rank 2 needs --pipeline-model/, inTwo],
    [
      '--num-layers-per-virtual-pipeline-stage 2',
      /^--num-layers-per-virtual-pipeline-stage 2 needs --pipeline-model/,
      inTwo,
    ],
    [`--use-torch-fsdp2 ${inTwo}`, /^--use-torch-fsdp2 goes with no/, '--pipeline-model-parallel-size 1'],
    [
      `--use-torch-fsdp2 ${experts} ${spread}`,
      /^--use-torch-fsdp2 goes with no/,
      '--expert-model-parallel-size 1',
    ],
    [
      `${inTwo} ${virtual} 2 --no-overlap-p2p-communication`,
      /^virtual stages with --no-overlap-p2p-communication need/,
      '--pipeline-model-parallel-size 4',
    ],
    [`${experts} --moe-router-topk 1`, /^--moe-router-topk 1 needs/, '--moe-router-pre-softmax'],
    [
      `${groups} 3`,
      /^--num-experts 8 is not divided by --moe-router-num-groups 3$/,
      '--moe-router-num-groups 4',
    ],
    [
      `${groups} 1`,
      /^--moe-router-group-topk 2 is more than --moe-router-num-groups 1$/,
      '--moe-router-num-groups 4',
    ],
    [
      '--cpu-offloading-num-layers 8',
      /^--cpu-offloading-num-layers 8 has to be less than --num-layers 8$/,
      '--num-layers 16',
    ],
    [
      `--cpu-offloading-num-layers 2 ${inTwo}`,
      /^--cpu-offloading-num-layers 2 goes with no pipeline/,
      '--pipeline-model-parallel-size 1',
    ],
    [
      `${experts} --overlap-moe-expert-parallel-comm`,
      /^--overlap-moe-expert-parallel-comm needs --expert-model/,
      spread,
    ],
    [
      '--softmax-type learnable --context-parallel-size 2',
      /^--softmax-type learnable with --context-parallel-size 2 needs --cp-comm-type a2a$/,
      '--cp-comm-type a2a',
    ],
    [
      '--softmax-type learnable --context-parallel-size 2 --cp-comm-type all_gather',
      /^--softmax-type learnable with/,
      '--context-parallel-size 1',
    ],
    ['--micro-batch-size', /^--micro-batch-size has no value$/, '--micro-batch-size 1'],
    [
      '--recompute-granularity',
      /^--recompute-granularity has no value$/,
      '--recompute-granularity selective',
    ],
  ] as const)('%s are refused', (options, said, mended) => {
    const { faults } = read(options)
    expect(faults.filter((one) => said.test(one))).toHaveLength(1)
    expect(read(`${options} ${mended}`).faults.filter((one) => said.test(one))).toEqual([])
  })

  it('are refused without the sizes that have no default, where they spell a model out', () => {
    const without = (said: string, options = '') =>
      read(options, said).faults.filter((one) => one.startsWith('Megatron-LM needs'))
    expect(without(model)).toEqual(['Megatron-LM needs --micro-batch-size, which is not given'])
    expect(without(`${model} ${batch}`)).toEqual([])
    expect(without('--num-layers 8 --seq-length 4096')).toEqual([])
    expect(without(model, '--use-checkpoint-args')).toEqual([])
  })

  it('that another script, or Megatron-DeepSpeed, gets are not refused for what they lack', () => {
    const lacking = `${model} ${batch} --num-experts 8 --tensor-model-parallel-size 2 --overlap-param-gather`
    expect(readMegatron(`bash train.sh ${lacking}`, 8).faults).toEqual([])
    expect(read('--deepspeed', lacking).faults).toEqual([])
    expect(read('', lacking).faults).toHaveLength(3)
  })
})

describe('what changes compute or memory', () => {
  const experts = '--num-experts 8 --expert-model-parallel-size 4'
  const offload = '--optimizer-cpu-offload --use-precision-aware-optimizer'

  it('is counted where a plan has it', () => {
    expect(read(offload).assumptions).toMatchObject({ optimizerOnHost: true })
    expect(read(`${offload} --optimizer-offload-fraction 0`).assumptions).not.toHaveProperty(
      'optimizerOnHost',
    )
  })

  it('is refused, or told, where it has not', () => {
    expect(read(`${offload} --optimizer-offload-fraction 0.1`).uncounted).toEqual([
      expect.stringMatching(
        /^--optimizer-offload-fraction 0\.1: 90% of the optimizer's states stay on the GPUs/,
      ),
    ])
    const capacity = `${experts} --moe-expert-capacity-factor`
    const told = [
      [
        `${capacity} 1.5`,
        /1\.5: tokens beyond 1\.5 times .* are dropped, where each expert is counted with that share/,
      ],
      [`${capacity} 1.5 --moe-pad-expert-input-to-capacity`, /of experts are 1\.5 times what is counted/],
      ['--cpu-offloading-num-layers 2', /^--cpu-offloading-num-layers 2: .* is counted on the GPUs/],
    ] as const
    for (const [options, note] of told) {
      const { notes, notUnderstood, faults } = read(options)
      expect(notes).toContainEqual(expect.stringMatching(note))
      expect([notUnderstood, faults]).toEqual([[], []])
    }
  })
})

describe('values of an option of Megatron-LM', () => {
  it('are those that its parser lists', () => {
    const { '--attention-backend': _, ...others } = listedValues
    expect(others).toEqual(listed)
  })

  it.each([
    ['--normalization', 'RmsNorm'],
    ['--lr-decay-style', 'cosin'],
    ['--tokenizer-type', 'Foo'],
    ['--ckpt-format', 'torchdist'],
    ['--attention-backend', 'flsh'],
    ['--transformer-impl', 'te'],
  ] as const)('%s %s is none of the release, though no plan depends on it', (option, value) => {
    const { unregistered, misnamed } = read(`${option} ${value}`)
    expect([unregistered, misnamed]).toEqual([[{ option, value, among: listedValues[option] }], []])
    expect(read(`${option} ${listedValues[option][0]}`).unregistered).toEqual([])
    expect(read(`${option} ${value} --deepspeed`).unregistered).toEqual([])
    // Filled in where it runs, it may be one of them.
    const open = read(`${option} \${TYPE}`)
    expect(open.unregistered).toEqual([])
    expect(open.notes).toContain(`${option} is \${TYPE}, which the text does not set: no plan depends on it`)
  })

  it.each([
    ['--recompute-granularity', 'partial'] as const,
    ['--fp8-format', 'e5m3'] as const,
    ['--recompute-modules', 'core_atn'] as const,
    ['--cp-comm-type', 'ring'] as const,
    ...Object.keys(choices).map((option) => [option, 'other'] as const),
  ])('%s %s are refused where there are none such', (option, value) => {
    expect(read(`${option} ${value}`).misnamed).toEqual([
      { option, value, among: expect.not.arrayContaining([value]) },
    ])
  })

  it('positions of Megatron-DeepSpeed have its names, and are learned by one of them alone', () => {
    const of = (name: string, engine = '--deepspeed') => {
      const { misnamed = [], model } = read(`--position-embedding-type ${name} ${engine}`)
      return [misnamed.length, model?.learnedPositions]
    }
    expect(['alibi', 'rotary', 'absolute', 'other'].map((name) => of(name))).toEqual([
      [0, 0],
      [0, 0],
      [0, 8192],
      [1, 0],
    ])
    expect(of('alibi', '')).toEqual([1, 0])
  })
})

describe('connections of a GPU', () => {
  const text = (variable: string, options: string) =>
    `${variable}\ntorchrun --nproc-per-node 8 pretrain_gpt.py ${model} ${batch} ${options}`
  const told = (chip: string, variable: string, options = '--tensor-model-parallel-size 8') =>
    readMegatron(text(variable, options), 8, null, { chip: catalogueChip(chip, 'calibrated') }).faults.join()

  it('are one where ranks share out tensors, before Blackwell', () => {
    const several = 'export CUDA_DEVICE_MAX_CONNECTIONS=32'
    expect(told('h100-sxm', several)).toContain('CUDA_DEVICE_MAX_CONNECTIONS=1 alone')
    expect(told('b200-sxm', several)).toBe('')
    expect(told('h100-sxm', several, '--pipeline-model-parallel-size 8')).toBe('')
    expect(told('h100-sxm', 'CUDA_DEVICE_MAX_CONNECTIONS=1')).toBe('')
    expect(told('h100-sxm', '')).toBe('')
  })

  it.each([
    '--use-torch-fsdp2 --no-gradient-accumulation-fusion --untie-embeddings-and-output-weights',
    '--use-megatron-fsdp --ckpt-format fsdp_dtensor',
  ])('are more than one with %s', (options) => {
    expect(told('b200-sxm', 'CUDA_DEVICE_MAX_CONNECTIONS=1', options)).toMatch(/of more than 1, or none/)
    for (const free of ['', 'CUDA_DEVICE_MAX_CONNECTIONS=8'])
      expect(told('h100-sxm', free, options)).not.toMatch(/CUDA_DEVICE/)
  })
})

describe('scales for blocks of numbers', () => {
  const chip = (name: string) => catalogueChip(name, 'calibrated')
  const faults = (name: string, options: string) =>
    readMegatron(`torchrun --nproc-per-node 8 pretrain_gpt.py ${model} ${batch} --bf16 ${options}`, 8, null, {
      chip: chip(name),
    }).faults.join()
  const bridge = (name: string, precision: string) =>
    readBridge(`python run_recipe.py --recipe llama3_8b_pretrain_config -tp 2 mixed_precision=${precision}`, {
      ...{ chips: 8, model: null },
      chip: chip(name),
    }).faults.join()

  it('are refused where matmuls do not take them', () => {
    const mxfp8 = '--fp8-format e4m3 --fp8-recipe mxfp8'
    expect(faults('h100-sxm', mxfp8)).toMatch(
      /--fp8-recipe mxfp8 is for GPUs .*h100-sxm is none: .*blockwise/,
    )
    expect(faults('b200-sxm', mxfp8)).toBe('')
    expect(faults('h100-sxm', '--fp8-format e4m3 --fp8-recipe blockwise')).toBe('')
    expect(faults('h100-sxm', '--fp8-recipe mxfp8')).toBe('')
    expect(bridge('h200-sxm', 'bf16_with_mxfp8_mixed')).toMatch(/mxfp8 is for GPUs/)
    expect(bridge('b200-sxm', 'bf16_with_mxfp8_mixed')).toBe('')
  })
})

describe('what Megatron-LM takes where nothing is said', () => {
  const tensor = '--tensor-model-parallel-size 2 --vocab-size 32000 --micro-batch-size 2'
  const started = (options: string, variables = '', chip = 'h100-sxm') =>
    readMegatron(`${variables}\ntorchrun --nproc-per-node 8 pretrain_gpt.py ${model} ${options}`, 8, null, {
      chip: catalogueChip(chip, 'calibrated'),
    })

  it('is a batch of one microbatch for each data-parallel rank', () => {
    const { workload, notes } = started(tensor)
    expect(workload.batchSequences).toBe(2 * 4)
    expect(notes.join()).toContain('--global-batch-size is not said: 8')
    expect(started(`${tensor} --global-batch-size 64`).workload.batchSequences).toBe(64)
  })

  it('is no number of streams, which a note tells where one is asserted', () => {
    const told = (...said: Parameters<typeof started>) => started(...said).notes.join()
    expect(told(tensor)).toContain('CUDA_DEVICE_MAX_CONNECTIONS is not set here')
    for (const other of [
      told(tensor, 'export CUDA_DEVICE_MAX_CONNECTIONS=1'),
      told('--micro-batch-size 2'),
      told(tensor, '', 'b200-sxm'),
    ])
      expect(other).not.toContain('CUDA_DEVICE')
  })
})

describe('experts that are folded over ranks of context', () => {
  const mixture = '--num-experts 8 --pipeline-model-parallel-size 4 --context-parallel-size 2'
  const of = (experts: number) =>
    readMegatron(
      `torchrun --nproc-per-node 8 --nnodes 4 pretrain_gpt.py ${model} ${batch} ${mixture} --expert-model-parallel-size ${experts}`,
      32,
    )

  it('are valid in Megatron-LM and not costed, and a fault where ranks do not divide the GPUs', () => {
    expect(of(8)).toMatchObject({ faults: [], uncounted: [expect.stringMatching(/valid in Megatron-LM/)] })
    expect(of(4)).toMatchObject({ faults: [], uncounted: [] })
    expect(of(16).faults.join()).toMatch(/do not divide the 32 GPUs/)
  })
})
