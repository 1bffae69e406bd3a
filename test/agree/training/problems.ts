/**
 * Small training problems over every field that a search chooses or is given: models that are dense, have experts, or
 * have unequal layers; tori, slices, nodes of any size; both sets of assumptions, and most fields that may be
 * overridden.
 */

import fc from 'fast-check'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { Constraints } from '../../../src/constraint.ts'
import type { Network } from '../../../src/hardware/cluster/cluster.ts'
import { frameworks } from '../../../src/launch/framework.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { blockLetters } from '../../../src/model/layer-pattern.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import type { Attending } from '../../../src/model/recurrence.ts'
import { recurrentMixers } from '../../../src/model/recurrent-mixers.ts'
import {
  type AttentionPattern,
  fullAttention,
  type MixtureOfExperts,
  type Recurrence,
} from '../../../src/model/transformer.ts'
import type { Problem } from '../../../src/problem.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import type { ScheduleName } from '../../../src/recipe/schedules.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { residualShardings } from '../../../src/sharding/tables/training-layout.ts'
import { type ProblemOptions, problem } from '../../problem.ts'

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const attention: fc.Arbitrary<AttentionPattern> = fc.oneof(
  {
    arbitrary: pick<AttentionPattern>({
      window: null,
      globalEvery: 0,
      kvShareGroup: 1,
      latent: null,
      index: null,
    }),
    weight: 5,
  },
  {
    arbitrary: pick<AttentionPattern>({
      window: 300,
      globalEvery: 3,
      kvShareGroup: 1,
      latent: null,
      index: null,
    }),
    weight: 1,
  },
  {
    arbitrary: pick<AttentionPattern>({
      ...{ window: null, globalEvery: 0, kvShareGroup: 1, index: null },
      latent: { queryRank: 384, keyValueRank: 128, nopeHeadDim: 64, ropeHeadDim: 32, valueHeadDim: 64 },
    }),
    weight: 1,
  },
)

/** Half or a third of the layers attend, with a gate. */
const recurrences: fc.Arbitrary<Recurrence & Attending> = fc.record({
  mixer: pick(...recurrentMixers),
  attentionEvery: pick(2, 3),
  keyHeads: pick(2, 4),
  keyDim: pick(32, 64),
  heads: pick(4, 8),
  valueDim: pick(64),
  convolution: pick(4),
})

/** The model with a recurrence in some of its layers, where these are enough for one that attends, one after the other. */
export function recurring(shape: Architecture, recurrence: (Recurrence & Attending) | null): Architecture {
  const { layers, parallelBlocks, attention = fullAttention } = shape
  if (!recurrence || parallelBlocks || attention.index || layers < recurrence.attentionEvery) return shape
  return { ...shape, recurrence, attention: { ...attention, outputGate: attention.latent === null } }
}

/** The model with a mixer or an MLP alone in each layer: each block that it has, and then others by their numbers. */
export function patterned(shape: Architecture, numbers: readonly number[] | null): Architecture {
  const { parallelBlocks, attention = fullAttention, recurrence, experts, layers } = shape
  if (!numbers || parallelBlocks || attention.index) return shape
  const { attending, recurrent, sparse, dense } = blockLetters
  const needed = [...(recurrence ? [recurrent] : []), ...(experts ? [sparse] : []), attending]
  const some = [...needed, dense]
  const others = numbers.slice(0, Math.max(0, layers - needed.length)).map((one) => some[one % some.length])
  const letters = [...others, ...needed]
  const { attentionEvery: _, ...alone } = recurrence ?? {}
  return {
    ...shape,
    layers: letters.length,
    layerPattern: letters.join(''),
    ...(recurrence ? { recurrence: alone as Recurrence } : {}),
    ...(experts ? { experts: { ...experts, denseLayers: 0, every: 1 } } : {}),
  }
}

/** Numbers of letters, for one model in four. */
export const somePattern: fc.Arbitrary<readonly number[] | null> = fc.oneof(
  { arbitrary: fc.constant(null), weight: 3 },
  { arbitrary: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }), weight: 1 },
)

export const someRecurrence: fc.Arbitrary<(Recurrence & Attending) | null> = fc.oneof(
  { arbitrary: fc.constant(null), weight: 3 },
  { arbitrary: recurrences, weight: 1 },
)

/** One in four has a width of its own. */
export const mixtures: fc.Arbitrary<MixtureOfExperts> = fc
  .record({
    experts: pick(2, 4, 6, 8),
    activeExperts: pick(1, 2),
    dFfExpert: pick(256, 1000, 4096),
    sharedExperts: pick(0, 1),
    denseLayers: pick(0, 0, 1),
    every: pick(1, 1, 2),
    nodeLimit: pick(1, 2, 8),
    narrow: pick(0, 0, 0, 128),
  })
  .map(({ narrow, ...mixture }) => (narrow > 0 ? { ...mixture, latentWidth: narrow } : mixture))

/** With as many layers as have experts among them. */
export function mixed(shape: Architecture, experts: MixtureOfExperts | null): Architecture {
  if (!experts) return { ...shape, experts }
  const layers = Math.max(shape.layers, experts.denseLayers + experts.every)
  return { ...shape, layers, experts, parallelBlocks: false }
}

const architectures: fc.Arbitrary<Architecture> = fc
  .record({
    layers: pick(1, 2, 3, 4, 4, 5, 6),
    dModel: pick(256, 1024, 4096),
    dFf: pick(1000, 4096, 16_384),
    kvHeads: pick(1, 2, 4),
    group: pick(1, 2, 3),
    headDim: pick(64, 128),
    vocab: pick(1000, 32_003, 128_256),
    gatedMlp: fc.boolean(),
    tiedEmbeddings: fc.boolean(),
    parallelBlocks: fc.boolean(),
    learnedPositions: pick(0, 0, 512),
    multiTokenLayers: pick(0, 0, 0, 0, 1),
    attention,
    experts: fc.option(mixtures),
    recurrence: someRecurrence,
    pattern: somePattern,
  })
  .map(({ group, experts, parallelBlocks, recurrence, pattern, ...shape }) => {
    const heads = shape.kvHeads * group
    const model = mixed(
      { ...shape, heads, parallelBlocks: parallelBlocks && !shape.attention.latent },
      experts,
    )
    return patterned(recurring(model, recurrence), pattern)
  })

type Hardware = Pick<ProblemOptions, 'chip' | 'chips' | 'topology' | 'slices'>

const hardware = pick<Hardware>(
  { chip: 'tpu-v5e', topology: [2, 2] },
  { chip: 'tpu-v5e', topology: [2, 4] },
  { chip: 'tpu-v5p', topology: [2, 2, 2] },
  { chip: 'tpu-7x', topology: [1, 2, 2] },
  { chip: 'tpu-v5e', topology: [2, 2], slices: 2 },
  { chip: 'tpu-v6e', topology: [1, 1], slices: 3 },
  { chip: 'h100-sxm', chips: 2 },
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 6 },
  { chip: 'h100-sxm', chips: 8 },
  { chip: 'b200-sxm', chips: 8 },
  { chip: 'a100-80g-sxm', chips: 12 },
)

const everySchedule: readonly ScheduleName[] = ['gpipe', '1f1b', 'interleaved-1f1b', 'zb-h1', 'dualpipe']

/** Those that ask for a second tensor axis or name a ZeRO stage widen the search as well. */
export const narrowing: fc.Arbitrary<Constraints> = pick<Constraints>(
  { tensor: { max: 2 } },
  { tensor: 1 },
  { pipeline: [1, 2, 3] },
  { pipeline: { min: 2 } },
  { context: 1 },
  { context: { min: 2 } },
  { data: 1 },
  { fsdp: 1 },
  { expert: 1 },
  { microbatches: [1, 2] },
  { microbatches: { min: 2 } },
  { virtualStages: 1 },
)

const constraints: fc.Arbitrary<Constraints> = fc.oneof(
  { arbitrary: pick<Constraints>({}), weight: 4 },
  { arbitrary: narrowing, weight: 1 },
  { arbitrary: pick<Constraints>({ zeroStage: [1, 3] }, { zeroStage: 2 }, { tensor2: [1, 2] }), weight: 1 },
)

type Said = Partial<Assumptions> & Pick<Assumptions, 'basis'>

const assumptions: fc.Arbitrary<Said> = fc
  .record({
    basis: pick<Assumptions['basis']>('calibrated', 'calibrated', 'book'),
    said: fc.record(
      {
        contextLayouts: fc.subarray([...contextLayouts], { minLength: 1 }),
        overlapPrefetched: pick(0, 0.5, 1),
        overlapGathered: pick(0, 0.5, 1),
        expertOverlapGathered: pick(0.3, 1),
        overlapCriticalPath: pick(0, 0.5, 1),
        overlapExchange: pick(0, 0.5, 1),
        overlapDispatch: pick(0, 0.7, 1),
        regatherActivations: fc.boolean(),
        finiteRings: fc.boolean(),
        inNetworkReduction: fc.boolean(),
        hierarchicalDispatch: fc.boolean(),
        searchTensor2: fc.boolean(),
        shardedPipelines: fc.boolean(),
        zeroStages: pick<Assumptions['zeroStages']>([0, 1, 2, 3], [0, 3]),
        attentionFlops: pick<Assumptions['attentionFlops']>('none', 'causal', 'full'),
        residual: pick<Assumptions['residual']>(...residualShardings),
        latencyFactor: pick(0, 1, 30),
        scaleUpHalfBytes: pick(0, 1e7, 1e10),
        layerOverheadSeconds: pick(0, 1e-3),
        matmulHalfFlops: pick(0, 1e10),
        attentionEfficiency: pick(0.05, 0.6),
        tokensDivideFreely: fc.boolean(),
        lossChunks: pick(1, 4),
        recomputeLogits: fc.boolean(),
        workspace: fc.boolean(),
        userBuffers: fc.boolean(),
        elementwise: fc.boolean(),
        gradientBuffer: fc.boolean(),
        gradientsBesideSum: fc.boolean(),
        expertBufferFactor: fc.constantFrom(0, 1, 1.5),
        endsOnEveryStage: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    listed: pick<Assumptions['frameworks']>([], [], frameworks, ['megatron'], ['maxtext'], ['torchtitan']),
  })
  .map(({ basis, said, listed }) => ({ ...said, basis, frameworks: listed }))

/** Nodes of so many chips, and links that are slower. */
function changed(
  network: Network,
  slower: number,
  node: number | null,
  reducing: readonly boolean[],
): Network {
  if (network.kind === 'torus') return { ...network, linkBytesPerSecond: network.linkBytesPerSecond / slower }
  const tiers = network.tiers.map((tier, level) => ({
    ...tier,
    ...(level === 0 && node !== null ? { size: node } : {}),
    bytesPerSecondPerChip: tier.bytesPerSecondPerChip / slower,
    inNetworkReduction: reducing[level] ?? tier.inNetworkReduction,
  }))
  return { ...network, tiers }
}

export const trainingProblems: fc.Arbitrary<Problem> = fc
  .record({
    model: architectures,
    hardware,
    constraints,
    sequences: pick(1, 2, 4, 6, 8, 16),
    sequenceLength: pick(100, 512, 2048, 16_384),
    /** Of what states take at least: beside them there is room for activations, or not. */
    room: fc.double({ min: 0, max: 1.2, noNaN: true }),
    slower: pick(1, 1, 10, 100),
    node: pick(null, 2, 4),
    reducing: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    schedules: fc.option(fc.subarray([...everySchedule], { minLength: 1, maxLength: 3 }), { nil: undefined }),
    policies: fc.subarray([...policyNames('counted')], { minLength: 1, maxLength: 4 }),
    assumptions,
  })
  .map(({ hardware: chips, room, sequences, slower, node, reducing, schedules, policies, ...drawn }) => {
    const offered = policyNames(
      drawn.assumptions.activations ?? (drawn.assumptions.basis === 'book' ? 'book' : 'counted'),
    )
    const rematerialization = policies.filter((name) => offered.includes(name))
    const made = problem({
      ...drawn,
      ...chips,
      ...(schedules ? { schedules } : {}),
      rematerialization: rematerialization.length > 0 ? rematerialization : ['full'],
      batchTokens: sequences * drawn.sequenceLength,
      memoryBudget: 0,
      top: 1000,
    })
    const { cluster, model } = made
    const states = (16 * parameterCount(model).total) / cluster.chips
    return {
      ...made,
      memoryBudget: 10 ** room * states + 1e7,
      cluster: { ...cluster, network: changed(cluster.network, slower, node, reducing) },
    }
  })
