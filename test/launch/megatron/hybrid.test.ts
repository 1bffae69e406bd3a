/** Commands of pretrain_hybrid.py: the pattern that plans are written with, cut into stages, and what is read of one. */
import { describe, expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import type { Schedule } from '../../../src/recipe/schedule.ts'
import { type HandMade, launched, launchedPrecision } from '../../golden/launched-plan.ts'

const nano = 'nemotron-3-nano-30b-a3b'
const asked = { model: nano, chip: 'h100-sxm', chips: 16, batchTokens: 64 * 8192, sequenceLength: 8192 }
const interleaved: Schedule = { name: 'interleaved-1f1b', virtualStages: 2 }

function written(plan: HandMade, model: string = nano) {
  const { megatron, commands } = launched({ ...asked, model }, { zeroStage: 1, policies: ['full'], ...plan })
  if (!Array.isArray(megatron)) throw new Error(JSON.stringify(megatron))
  const at = megatron.indexOf('--hybrid-layer-pattern')
  return { flags: megatron, pattern: String(megatron[at + 1]), command: commands?.megatron?.command ?? '' }
}

describe('a plan of layers that have one block each', () => {
  it('starts pretrain_hybrid.py with the pattern, and without a number of layers', () => {
    const { flags, pattern, command } = written({ mesh: { data: 2, expert: 8 } })
    expect(pattern).toBe('MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME')
    expect(command).toContain(` pretrain_hybrid.py --hybrid-layer-pattern '${pattern}' `)
    for (const option of ['--num-layers', '--moe-layer-freq', '--linear-attention-freq'])
      expect(flags).not.toContain(option)
  })

  it.each<[HandMade, string]>([
    [
      {
        mesh: { expert: 8, pipeline: 2 },
        schedule: { name: '1f1b', virtualStages: 1 },
        stageLayers: [30, 22],
      },
      'MEMEM*EMEMEM*EMEMEM*EMEMEM*EME|MEM*EMEMEMEM*EMEMEMEME',
    ],
    [
      { mesh: { expert: 8, pipeline: 2 }, schedule: interleaved, stageLayers: [26, 26], microbatches: 8 },
      'MEMEM*EMEMEM*|EMEMEM*EMEMEM|*EMEMEM*EMEME|MEM*EMEMEMEME',
    ],
  ])('has its stages and their chunks between bars: %j', (plan, pattern) => {
    const { flags, pattern: cut } = written(plan)
    expect(cut).toBe(pattern)
    for (const option of [
      '--num-virtual-stages-per-pipeline-rank',
      '--pipeline-model-parallel-layout',
      '--decoder-first-pipeline-num-layers',
    ])
      expect(flags).not.toContain(option)
    const { plan: read, model, faults, notUnderstood } = readMegatron(flags, asked.chips)
    expect([faults, notUnderstood]).toEqual([[], []])
    expect(read).toMatchObject({
      stageLayers: plan.stageLayers,
      ...(plan.schedule === interleaved ? { virtualStages: 2 } : {}),
    })
    expect(model).toMatchObject({
      layers: 52,
      layerPattern: pattern.replaceAll('|', ''),
      moe: { experts: 128, activeExperts: 6, sharedExperts: 2, dFfExpert: 1856 },
      recurrence: { mixer: 'mamba-2', keyHeads: 8, keyDim: 128, heads: 64, valueDim: 64, convolution: 4 },
    })
  })
})

describe('a recipe of Megatron Bridge', () => {
  it('runs plans of one stage, as the cuts of others are in the pattern', () => {
    const bridge = (plan: HandMade) =>
      launched({ ...asked, precision: launchedPrecision }, { zeroStage: 1, policies: ['full'], ...plan })
        .commands
    const cut: HandMade = {
      ...{ mesh: { expert: 8, pipeline: 2 }, stageLayers: [26, 26] },
      schedule: { name: '1f1b', virtualStages: 1 },
    }
    expect(bridge({ mesh: { data: 2, expert: 8 } })).toHaveProperty('megatron-bridge')
    expect(bridge(cut)).toHaveProperty('megatron')
    expect(bridge(cut)).not.toHaveProperty('megatron-bridge')
  })
})

describe('a pattern of layers', () => {
  const base =
    'torchrun --nnodes 1 --nproc-per-node 8 pretrain_hybrid.py --hidden-size 1024 --num-attention-heads 8 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 8 --seq-length 4096 --max-position-embeddings 4096'
  const read = (options: string) => readMegatron(`${base} ${options}`, null)

  // NVIDIA/Megatron-LM, examples/mamba/train.sh, a part
  it('is read with the defaults of its recurrence, whose heads fill twice the stream', () => {
    const { model, faults } = read("--hybrid-layer-pattern 'M-M-M*-'")
    expect(faults).toEqual([])
    expect(model).toMatchObject({
      ...{ layers: 7, layerPattern: 'M-M-M*-' },
      recurrence: { mixer: 'mamba-2', keyHeads: 8, keyDim: 128, heads: 32, valueDim: 64, convolution: 4 },
    })
  })

  it('has no recurrence where no layer has one, and further layers behind strokes', () => {
    const { model, faults } = read("--hybrid-layer-pattern '*E*E/*E/*E' --num-experts 8")
    expect(faults).toEqual([])
    expect(model).toMatchObject({ layers: 4, layerPattern: '*E*E', multiTokenLayers: 2 })
    expect(model).not.toHaveProperty('recurrence')
  })

  it('may have experts of a width of their own', () => {
    const { model, faults } = read("--hybrid-layer-pattern '*E' --num-experts 8 --moe-latent-size 256")
    expect([faults, model?.moe]).toEqual([[], expect.objectContaining({ experts: 8, latentWidth: 256 })])
  })

  it.each([
    ["'G-*-'", /layers of G are not counted; M \* - E are/],
    ["'*-*-/*-'", /further layers are counted where each is one that attends and one with experts/],
    ["'*-|*-|*-' --pipeline-model-parallel-size 2", /has 3 segments, which 2 stages do not divide/],
  ])('of %s is refused', (pattern, reason) => {
    expect(read(`--hybrid-layer-pattern ${pattern}`).faults).toContainEqual(expect.stringMatching(reason))
  })
})
