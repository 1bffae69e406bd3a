import { describe, expect, it } from 'vitest'
import type { Placement } from '../../src/hardware/network/placement.ts'
import type { Schedule } from '../../src/recipe/schedule.ts'
import type { Axis } from '../../src/sharding/axis.ts'
import type { ContextLayout } from '../../src/sharding/tables/context-layouts.ts'

import { type ProblemOptions, problem } from '../problem.ts'
import { type HandMade, launched, launchedPrecision as precision } from './launched-plan.ts'

const llama405b: ProblemOptions = {
  model: 'llama-3.1-405b',
  chip: 'h100-sxm',
  chips: 16384,
  batchTokens: 2048 * 8192,
  sequenceLength: 8192,
  precision,
}

const herd: HandMade = {
  mesh: { tensor: 8, pipeline: 16, data: 128 },
  zeroStage: 1,
  microbatches: 16,
  schedule: { name: 'interleaved-1f1b', virtualStages: 7 },
  stageLayers: [7, ...Array.from({ length: 14 }, () => 8), 7],
}

const llama70b: ProblemOptions = {
  model: 'llama-3-70b',
  chip: 'h100-sxm',
  chips: 256,
  batchTokens: 256 * 8192,
  sequenceLength: 8192,
  precision,
}

const hybrid: HandMade = {
  mesh: { tensor: 8, fsdp: 8, data: 4 },
  microbatches: 8,
  policies: ['none', 'full', 20],
}

const podSlice: ProblemOptions = {
  model: 'llama-3-70b',
  chip: 'tpu-v5p',
  topology: [8, 8, 8],
  slices: 2,
  batchTokens: 512 * 8192,
  sequenceLength: 8192,
}

const acrossSlices = (axis: Axis) => (all: readonly Placement[]) =>
  all.find(({ groups: { [axis]: group } }) => group.kind === 'torus' && group.slices === 2)

const cases: Readonly<Record<string, readonly [ProblemOptions, HandMade]>> = {
  'llama-3.1-405b-interleaved-on-uneven-stages': [llama405b, herd],
  'llama-3.1-405b-1f1b-on-uneven-stages': [
    llama405b,
    { ...herd, schedule: { name: '1f1b', virtualStages: 1 } },
  ],
  'llama-3-70b-hsdp-with-tensor-and-some-full-remat': [llama70b, hybrid],
  'llama-3-70b-context-parallel': [
    { ...llama70b, batchTokens: 16 * 131072, sequenceLength: 131072 },
    { mesh: { tensor: 8, context: 8, fsdp: 4 }, microbatches: 4, policies: ['full'] },
  ],
  'llama-3-70b-padded-batch': [
    { ...llama70b, batchTokens: 250 * 8192 },
    { mesh: { fsdp: 256 }, sequences: 256, policies: ['full'] },
  ],
  'gpt-3-175b-even-interleaved-pipeline-inside-data': [
    { ...llama405b, model: 'gpt-3-175b', chips: 1024, batchTokens: 1536 * 2048, sequenceLength: 2048 },
    {
      mesh: { tensor: 8, pipeline: 8, data: 16 },
      microbatches: 96,
      schedule: { name: 'interleaved-1f1b', virtualStages: 3 },
      policies: ['selective'],
      placement: ([, inside]) => inside,
    },
  ],
  'llama-3-70b-hsdp-over-two-slices': [
    podSlice,
    {
      mesh: { data: 2, fsdp: 128, tensor: 4 },
      microbatches: 2,
      policies: ['save_qkv_proj'],
      placement: acrossSlices('data'),
    },
  ],
  'llama-3-70b-gpipe-over-two-slices': [
    podSlice,
    {
      mesh: { pipeline: 2, fsdp: 256, tensor: 2 },
      microbatches: 2,
      schedule: { name: 'gpipe', virtualStages: 1 },
      policies: ['save_mlp_proj'],
      placement: acrossSlices('pipeline'),
    },
  ],
  'llama-3-70b-as-the-book-lays-it-out-on-a-v5p-pod': [
    {
      model: 'llama-3-70b',
      chip: 'tpu-v5p',
      topology: [16, 20, 28],
      batchTokens: 4194304,
      sequenceLength: 4096,
      assumptions: 'book',
    },
    { mesh: { fsdp: 2240, tensor: 4 } },
  ],
}

/** With experts, latent attention or windows. */
const sparse: Readonly<Record<string, readonly [ProblemOptions, HandMade]>> = {
  'deepseek-v3-as-published-on-2048-h800': [
    {
      model: 'deepseek-v3',
      chip: 'h800-sxm',
      chips: 2048,
      batchTokens: 15360 * 4096,
      sequenceLength: 4096,
      precision: { ...precision, compute: 'fp8' },
    },
    {
      mesh: { pipeline: 16, expert: 64, data: 2 },
      zeroStage: 1,
      microbatches: 120,
      schedule: { name: '1f1b', virtualStages: 1 },
      stageLayers: [3, ...Array.from({ length: 14 }, () => 4), 2],
    },
  ],
  'deepseek-v3-interleaved-on-uneven-stages': [
    {
      model: 'deepseek-v3',
      chip: 'h100-sxm',
      chips: 1024,
      batchTokens: 15360 * 4096,
      sequenceLength: 4096,
      precision,
    },
    {
      mesh: { pipeline: 8, expert: 16, tensor: 2, data: 4 },
      zeroStage: 1,
      microbatches: 240,
      schedule: { name: 'interleaved-1f1b', virtualStages: 2 },
      stageLayers: [7, ...Array.from({ length: 6 }, () => 8), 6],
      policies: ['selective'],
    },
  ],
  'deepseek-v3-sharded-over-two-v5p-slices': [
    {
      model: 'deepseek-v3',
      chip: 'tpu-v5p',
      topology: [8, 8, 16],
      slices: 2,
      batchTokens: 4096 * 4096,
      sequenceLength: 4096,
    },
    {
      mesh: { data: 2, fsdp: 64, expert: 16 },
      microbatches: 2,
      policies: ['minimal'],
      placement: acrossSlices('data'),
    },
  ],
  'deepseek-v2-lite-without-an-expert-axis': [
    { ...llama70b, model: 'deepseek-v2-lite', chips: 64 },
    { mesh: { fsdp: 64 }, microbatches: 4, policies: ['full'] },
  ],
  'qwen3-235b-a22b-sharded-over-experts': [
    { ...llama70b, model: 'qwen3-235b-a22b', batchTokens: 1024 * 4096, sequenceLength: 4096 },
    { mesh: { tensor: 4, expert: 8, fsdp: 8 }, microbatches: 4, policies: ['full'] },
  ],
  'mixtral-8x7b-with-context-in-a-node': [
    { ...llama70b, model: 'mixtral-8x7b', chips: 64, batchTokens: 64 * 32768, sequenceLength: 32768 },
    { mesh: { context: 2, expert: 4, fsdp: 8 }, microbatches: 2, policies: ['full'] },
  ],
  'llama-4-maverick-on-v5p': [
    {
      model: 'llama-4-maverick',
      chip: 'tpu-v5p',
      topology: [8, 8, 8],
      batchTokens: 512 * 16384,
      sequenceLength: 16384,
    },
    { mesh: { fsdp: 32, expert: 8, tensor: 2 }, microbatches: 2, policies: ['save_mlp_proj'] },
  ],
  'gpt-oss-120b-on-v5p': [
    {
      model: 'gpt-oss-120b',
      chip: 'tpu-v5p',
      topology: [4, 4, 4],
      batchTokens: 512 * 8192,
      sequenceLength: 8192,
    },
    { mesh: { fsdp: 16, expert: 4 }, microbatches: 4, policies: ['full'] },
  ],
  'gemma-3-27b-with-windows': [
    { ...llama70b, model: 'gemma-3-27b' },
    { mesh: { tensor: 8, fsdp: 32 }, microbatches: 8, policies: ['full'] },
  ],
}

describe('what is typed to launch a plan', () => {
  it.each(Object.entries({ ...cases, ...sparse }))('%s', async (name, [options, plan]) => {
    const answer = `${JSON.stringify(launched(options, plan), null, 2)}\n`
    await expect(answer).toMatchFileSnapshot(`../../fixtures/golden/launch/${name}.json`)
  })
})

describe('a framework that cannot run a plan says why', () => {
  const reasons = (
    framework: 'megatron' | 'maxtext' | 'torchtitan',
    change: Partial<HandMade>,
    options = {},
  ) => {
    const answer = launched({ ...llama70b, ...options }, { ...hybrid, policies: ['full'], ...change })[
      framework
    ]
    return typeof answer === 'object' && 'unsupported' in answer ? answer.unsupported : []
  }
  const plain = { mesh: { data: 256 }, microbatches: 1 }

  it('runs the plan that the others differ from', () => {
    expect(reasons('megatron', {})).toEqual([])
    expect(reasons('maxtext', {})).toEqual([])
    expect(reasons('torchtitan', {})).toEqual([])
  })

  it('has no second tensor axis', () => {
    const change = { mesh: { tensor: 4, tensor2: 2, fsdp: 32 } }
    expect(reasons('megatron', change)).toContainEqual(expect.stringContaining('tensor2'))
    expect(reasons('maxtext', change)).toContainEqual(expect.stringContaining('second tensor axis'))
    expect(reasons('torchtitan', change)).toContainEqual(expect.stringContaining('tensor2'))
  })

  it('takes whole sequences', () => {
    const change = { sequences: 16, microbatches: 16 }
    for (const framework of ['megatron', 'maxtext', 'torchtitan'] as const) {
      expect(reasons(framework, change)).toEqual(['a microbatch of 0.5 sequences per replica is not whole'])
    }
  })

  it('mixes policies as it can: Megatron-LM none with full, MaxText none', () => {
    expect(reasons('megatron', { policies: ['minimal', 'full', 20] })).toHaveLength(1)
    expect(reasons('megatron', { policies: ['minimal'] })).toHaveLength(1)
    expect(reasons('maxtext', { policies: ['none', 'full', 20] })).toHaveLength(1)
    expect(reasons('torchtitan', { policies: ['none', 'full', 30] })).toHaveLength(1)
  })

  it('knows ZeRO stages as it can', () => {
    expect(reasons('megatron', { ...plain, zeroStage: 2 })).toEqual([])
    expect(reasons('maxtext', { ...plain, zeroStage: 2 })).toEqual(['MaxText has no ZeRO-2'])
    expect(reasons('maxtext', { ...plain, zeroStage: 1 })).toEqual([])
    expect(reasons('torchtitan', { ...plain, zeroStage: 2 })).toEqual([])
    expect(
      reasons('torchtitan', { mesh: { data: 64, tensor: 4 }, microbatches: 4, zeroStage: 1 }),
    ).toHaveLength(1)
    expect(reasons('torchtitan', { ...plain, zeroStage: 0 })).toEqual([])
    expect(
      reasons('torchtitan', { mesh: { data: 64, tensor: 4 }, microbatches: 4, zeroStage: 0 }),
    ).toHaveLength(2)
  })

  it('runs the schedules that it has', () => {
    const mesh = { pipeline: 4, tensor: 8, data: 8 }
    const schedule = (name: Schedule['name']) => ({
      mesh,
      zeroStage: 1 as const,
      microbatches: 32,
      schedule: { name, virtualStages: 1 },
    })
    expect(reasons('megatron', schedule('1f1b'))).toEqual([])
    expect(reasons('megatron', schedule('gpipe'))).toEqual(['Megatron-LM runs 1F1B, not GPipe'])
    expect(reasons('torchtitan', schedule('gpipe'))).toEqual([])
    expect(reasons('maxtext', schedule('1f1b'))).toContainEqual(expect.stringContaining('as GPipe does'))
    for (const framework of ['megatron', 'maxtext', 'torchtitan'] as const) {
      expect(reasons(framework, schedule('zb-h1'))).not.toEqual([])
      expect(reasons(framework, schedule('dualpipe'))).not.toEqual([])
    }
  })

  it('gathers ZeRO-3 weights every microbatch only without a pipeline', () => {
    const change = {
      mesh: { pipeline: 4, tensor: 8, fsdp: 8 },
      microbatches: 32,
      schedule: { name: '1f1b', virtualStages: 1 } as const,
    }
    expect(reasons('megatron', change)).toEqual(['Megatron-FSDP does not go with a pipeline'])
    expect(reasons('torchtitan', change)).toHaveLength(1)
  })

  it('counts ranks in its own order', () => {
    const change: Partial<HandMade> = {
      mesh: { pipeline: 4, tensor: 8, data: 8 },
      zeroStage: 1,
      microbatches: 32,
      schedule: { name: '1f1b', virtualStages: 1 },
      placement: ([, inside]) => inside,
    }
    expect(reasons('megatron', change)).toEqual([])
    expect(reasons('torchtitan', change)).toEqual(['torchtitan puts the pipeline outside of the replicas'])
  })

  it('knows the kinds of models and precisions that it knows', () => {
    const parallel = { model: 'palm-62b' }
    expect(reasons('megatron', {}, parallel)).toContainEqual(expect.stringContaining('beside it'))
    expect(reasons('maxtext', {}, parallel)).toContainEqual(expect.stringContaining('beside it'))
    expect(reasons('torchtitan', {}, parallel)).toContainEqual(
      expect.stringContaining('no model of this kind'),
    )
    const reduced = { precision: { ...precision, gradients: 'bf16' } }
    expect(reasons('megatron', {}, reduced)).toEqual([])
    expect(reasons('torchtitan', {}, reduced)).toEqual([
      'gradients or states in bf16 (training.dtype, mixed_precision_reduce) are not mapped to torchtitan',
    ])
    expect(reasons('megatron', {}, { optimizer: 'muon' })).toEqual([
      'Megatron-LM does not shard the states of muon in ZeRO-3',
    ])
    expect(reasons('megatron', {}, { optimizer: 'adafactor' })).toHaveLength(2)
    expect(reasons('maxtext', {}, { optimizer: 'muon' })).toEqual(reasons('maxtext', {}, {}))
    expect(reasons('maxtext', {}, { optimizer: 'muon', model: 'mixtral-8x7b' })).toContain(
      'MaxText has muon only for the decoder blocks llama2, qwen3, gemma3, deepseek',
    )
  })

  it('names a flavor that has to be registered first, and never one of another shape', () => {
    const { torchtitan, notes } = launched(
      { ...llama70b, model: 'llama-2-70b' },
      { ...hybrid, policies: ['full'] },
    )
    expect(torchtitan).toContain('flavor = "shardplan-llama-2-70b"')
    expect(notes).toContainEqual(expect.stringContaining('vocabulary 32000'))
  })

  it('is not asked where it does not run: TPUs get MaxText alone', () => {
    const answer = launched(podSlice, { mesh: { fsdp: 256, tensor: 4 }, microbatches: 2, policies: ['full'] })
    expect(Object.keys(answer)).toEqual(['maxtext', 'commands', 'notes'])
  })
})

describe('a framework that cannot spread experts as the plan does says why', () => {
  const mixtral: ProblemOptions = { ...llama70b, model: 'mixtral-8x7b', chips: 64 }
  const spread: HandMade = { mesh: { expert: 8, fsdp: 8 }, microbatches: 4, policies: ['full'] }
  const answer = (options: Partial<ProblemOptions>, change: Partial<HandMade>) =>
    launched({ ...mixtral, ...options }, { ...spread, ...change })
  const reasons = (
    framework: 'megatron' | 'maxtext' | 'torchtitan',
    change: Partial<HandMade>,
    options: Partial<ProblemOptions> = {},
  ) => {
    const flags = answer(options, change)[framework]
    return typeof flags === 'object' && 'unsupported' in flags ? flags.unsupported : []
  }

  it('runs the plan that the others differ from', () => {
    for (const framework of ['megatron', 'maxtext', 'torchtitan'] as const) {
      expect(reasons(framework, {})).toEqual([])
    }
  })

  it('counts the ranks of experts before those of context, which is the same inside a node alone', () => {
    const inside = { mesh: { context: 2, expert: 4, fsdp: 8 } }
    const across = { mesh: { context: 2, expert: 8, fsdp: 4 } }
    const notes = (change: Partial<HandMade>) => answer({}, change).notes?.join() ?? ''
    for (const framework of ['megatron', 'torchtitan'] as const) {
      expect(reasons(framework, inside)).toEqual([])
      expect(reasons(framework, across)).toEqual([])
    }
    expect(notes(inside)).not.toContain('context first')
    expect(notes(across)).toContain('Megatron-LM spreads experts over the ranks of context first')
    expect(notes(across)).toContain('torchtitan spreads experts over the ranks of context first')
    const wide = { mesh: { context: 16, expert: 2, fsdp: 2 } }
    expect(reasons('maxtext', across)).toEqual([])
    expect(reasons('maxtext', wide)).toEqual([expect.stringContaining('through experts before all else')])
  })

  it('puts the pipeline inside of the replicas without experts only', () => {
    const plan = {
      mesh: { pipeline: 4, expert: 4, data: 4 },
      zeroStage: 1,
      microbatches: 8,
      schedule: { name: '1f1b', virtualStages: 1 },
    } as const
    expect(reasons('megatron', plan)).toEqual([])
    expect(reasons('megatron', { ...plan, placement: ([, inside]) => inside })).toEqual([
      expect.stringContaining('only without context and expert'),
    ])
    const alone = { ...plan, mesh: { pipeline: 8, expert: 8 } }
    expect(answer({}, alone).megatron).not.toContain('--use-tp-pp-dp-mapping')
  })

  it('needs ranks that shard weights to spread experts over', () => {
    const plan = { mesh: { expert: 8, data: 8 }, microbatches: 1, zeroStage: 0 } as const
    expect(reasons('megatron', plan)).toEqual([])
    expect(reasons('torchtitan', plan)).toContainEqual(expect.stringContaining('ZeRO-0 has none'))
    expect(reasons('maxtext', plan)).toEqual([expect.stringContaining('fsdp, context and expert')])
  })

  it('sends tokens again where it cannot keep them', () => {
    expect(reasons('maxtext', { policies: ['none'] })).toEqual([expect.stringContaining('again')])
    expect(reasons('maxtext', { mesh: { fsdp: 64 }, policies: ['none'] })).toEqual([])
    expect(reasons('megatron', { policies: ['none'] })).toEqual([])
  })

  it('knows the kinds of experts and attention that it knows', () => {
    const glm = { model: 'glm-4.5', batchTokens: 256 * 8192 }
    expect(reasons('megatron', {}, glm)).toEqual([])
    expect(reasons('maxtext', {}, glm)).toEqual([expect.stringContaining('no decoder block')])
    expect(reasons('torchtitan', {}, glm)).toContainEqual(expect.stringContaining('no model with these'))
    const local = { model: 'gpt-oss-20b' }
    expect(reasons('megatron', {}, local)).toEqual([])
    const sliced = { mesh: { tensor: 2, expert: 4, fsdp: 8 } }
    expect(reasons('megatron', sliced, local)).toEqual([])
    expect(
      reasons('megatron', sliced, { ...local, assumptions: { basis: 'calibrated', expertTensor: 'sliced' } }),
    ).toEqual([expect.stringContaining('biases in experts')])
    expect(answer(local, {}).megatron).not.toContain('--disable-bias-linear')
    expect(answer(local, {}).megatron).toEqual(expect.arrayContaining(['--softmax-type', 'learnable']))
    const { details: _, ...plain } = problem({ ...llama70b, ...local }).model
    expect(answer({ model: plain }, {}).notes).toContainEqual(expect.stringContaining('attention sinks'))
    expect(answer({ model: 'deepseek-v2-lite' }, {}).megatron).toContain('--disable-bias-linear')
    expect(reasons('torchtitan', {}, local)).toEqual(['windows are not mapped to torchtitan'])
    expect(reasons('maxtext', { mesh: { context: 2, expert: 4, fsdp: 8 } }, local)).toEqual([
      expect.stringContaining('do not go with context'),
    ])
    expect(reasons('maxtext', {}, { model: 'deepseek-v2-lite' })).toEqual([
      expect.stringContaining('through cuDNN'),
    ])
  })

  it('dispatches one copy for each chip where it can, and says so where it cannot', () => {
    const lite = { model: 'deepseek-v2-lite' }
    const flat = { assumptions: { basis: 'calibrated', hierarchicalDispatch: false } } as const
    const each = expect.stringContaining('once for each of its 6 experts; the plan')
    expect(answer(lite, {}).megatron).toContain('deepep')
    expect(answer(lite, {}).torchtitan).toContain('expert_parallel_comm_backend = "deepep"')
    expect(answer(lite, {}).notes).not.toContainEqual(each)
    expect(answer({ ...lite, ...flat }, {}).megatron).toContain('alltoall')
    // There the plan counts them so as well.
    expect(answer({ ...lite, ...flat }, {}).notes).not.toContainEqual(each)
    const split = answer(lite, { mesh: { tensor: 2, expert: 8, fsdp: 4 } })
    expect(split.notes).toContainEqual(each)
    expect(split.torchtitan).toContain('expert_parallel_comm_backend = "standard"')
    const domain = { ...lite, chip: 'gb200-nvl72', chips: 64 }
    expect(answer(domain, {}).megatron).toContain('hybridep')
  })

  it('is limited to nodes where the experts lie on more of them', () => {
    const v3 = { model: 'deepseek-v3', chips: 256 }
    const wide = answer(v3, { mesh: { expert: 64, fsdp: 4 }, microbatches: 1 })
    const narrow = answer(v3, { mesh: { expert: 32, fsdp: 8 }, microbatches: 1 })
    expect(wide.megatron).toEqual(expect.arrayContaining(['--moe-router-num-groups', '8']))
    // Of a model that says its groups these are told wherever its experts lie.
    expect(narrow.megatron).toEqual(expect.arrayContaining(['--moe-router-num-groups', '8']))
    const { details: _, ...plain } = problem({ ...llama70b, ...v3 }).model
    const untold = (mesh: HandMade['mesh']) =>
      answer({ ...v3, model: plain }, { mesh, microbatches: 1 }).megatron
    expect(untold({ expert: 64, fsdp: 4 })).toEqual(expect.arrayContaining(['--moe-router-num-groups', '8']))
    expect(untold({ expert: 32, fsdp: 8 })).not.toContain('--moe-router-num-groups')
  })

  it('leaves layers that predict further tokens to those that have them', () => {
    const v3 = { model: 'deepseek-v3' }
    expect(answer(v3, {}).megatron).toEqual(expect.arrayContaining(['--mtp-num-layers', '1']))
    expect(reasons('torchtitan', {}, v3)).toEqual([expect.stringContaining('predict further tokens')])
  })

  it('has every second layer with experts where the plan has them: the last of two', () => {
    const maverick = answer({ model: 'llama-4-maverick' }, {})
    expect(maverick.megatron).toEqual(expect.arrayContaining(['--moe-layer-freq', '([0]*1+[1])*24']))
    expect(maverick.megatron).toEqual(expect.arrayContaining(['--moe-router-score-function', 'sigmoid']))
    expect(maverick.megatron).not.toContain('--moe-router-pre-softmax')
    const { details: _, ...plain } = problem({ ...llama70b, model: 'llama-4-maverick' }).model
    expect(answer({ model: plain }, {}).megatron).toContain('--moe-router-pre-softmax')
  })
})

describe('a schedule that a framework does not have', () => {
  it('is named, not passed on', () => {
    const schedule: Schedule = { name: 'zb-h1', virtualStages: 1 }
    const plan: HandMade = {
      mesh: { pipeline: 4, tensor: 8, data: 8 },
      zeroStage: 1,
      microbatches: 32,
      schedule,
    }
    const { megatron, maxtext, torchtitan } = launched(llama70b, plan)
    for (const framework of [megatron, maxtext, torchtitan]) {
      expect(framework).toHaveProperty(
        'unsupported',
        expect.arrayContaining([expect.stringContaining('zb-h1')]),
      )
    }
  })
})

describe('fp8 in torchtitan', () => {
  it('is converted under the name that its registry has', () => {
    const fp8 = { ...llama70b, precision: { ...precision, compute: 'fp8' } } as const
    const { torchtitan } = launched(fp8, { ...hybrid, policies: ['full'] })
    expect(torchtitan).toContain('converters = ["quantize.linear.float8"]')
  })
})

describe('the context axis', () => {
  const long: ProblemOptions = { ...llama70b, batchTokens: 16 * 131072, sequenceLength: 131072 }
  const shared = { mesh: { tensor: 2, context: 4, fsdp: 32 }, microbatches: 1, sequences: 32 }
  const answer = (contextLayout: ContextLayout, options: Partial<ProblemOptions> = {}) =>
    launched({ ...long, ...options }, { ...shared, policies: ['full'], contextLayout })

  it('gathers keys, passes them on or shards heads, as the plan says', () => {
    expect(answer('gather').megatron).toEqual(expect.arrayContaining(['--cp-comm-type', 'all_gather']))
    expect(answer('ring').megatron).toEqual(expect.arrayContaining(['--cp-comm-type', 'p2p']))
    expect(answer('ulysses').megatron).toEqual(expect.arrayContaining(['--cp-comm-type', 'a2a']))
    expect(answer('ring').maxtext).toHaveProperty('context_parallel_strategy', 'ring')
    expect(answer('ring').torchtitan).toContain('context_parallel_rotate_method = "alltoall"')
  })

  it('says where a framework has no such exchange', () => {
    expect(answer('ulysses').maxtext).toEqual({ unsupported: ['MaxText has ulysses on TPUs only'] })
    expect(answer('ulysses').torchtitan).toEqual({ unsupported: ['torchtitan has no ulysses'] })
    const local = { model: 'gemma-3-27b' }
    expect(answer('ring', local).megatron).toEqual({
      unsupported: ['Transformer Engine has no windows in a ring'],
    })
    expect(answer('gather', local).megatron).toContain('--window-size')
  })

  it('takes the kernels that MaxText has for it on TPUs', () => {
    const tpu = { ...podSlice, batchTokens: 128 * 131072, sequenceLength: 131072, slices: 1 }
    const plan = { mesh: { tensor: 2, context: 4, fsdp: 64 }, microbatches: 1, policies: ['full'] } as const
    const keys = { use_tokamax_splash: true, context_parallel_load_balance: false }
    expect(launched(tpu, { ...plan, contextLayout: 'ulysses' }).maxtext).toMatchObject(keys)
    expect(launched(tpu, { ...plan, contextLayout: 'gather' }).maxtext).not.toHaveProperty(
      'use_tokamax_splash',
    )
  })
})
