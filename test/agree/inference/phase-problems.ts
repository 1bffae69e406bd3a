/** Small problems of inference: dense models and mixtures of experts, on tori and nodes of any size, with little and much room. */
import fc from 'fast-check'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { Constraints } from '../../../src/constraint.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { cacheBytes, weightBytes } from '../../../src/inference/time/floor.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { type AttentionPattern, fullAttention } from '../../../src/model/transformer.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type {
  GenerateWorkload,
  InferenceProblem,
  PhaseProblem,
  PrefillWorkload,
} from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { type InferenceOptions, inferenceProblem } from '../../inference-problem.ts'
import { architectures, generateWorkloads, prefillWorkloads } from '../../laws/inference/problems.ts'
import { mixed, mixtures, patterned, recurring, somePattern, someRecurrence } from '../training/problems.ts'

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const models: fc.Arbitrary<Architecture> = fc
  .tuple(
    fc.tuple(architectures, fc.option(mixtures), someRecurrence, somePattern),
    pick(false, false, false, true),
    fc.boolean(),
  )
  .map(([[dense, experts, recurrence, pattern], chooses, pools]) => {
    const model = mixed(dense, experts)
    if (!chooses) return patterned(recurring(model, recurrence), pattern)
    return pools ? pooling(model) : { ...model, kvHeads: model.heads, headDim: 48, attention: choosing }
  })

/** Latent attention to positions that an index chooses, fewer than many of the sequences have. */
const choosing: AttentionPattern = {
  ...fullAttention,
  latent: { queryRank: 96, keyValueRank: 64, nopeHeadDim: 32, ropeHeadDim: 16, valueHeadDim: 32 },
  index: { positions: 256, heads: 4, headDim: 32, firstLayers: 1, every: 2 },
}

/** One head of keys, the last positions and pooled ones, and four streams. */
function pooling(model: Architecture): Architecture {
  const { layers, heads } = model
  return {
    ...model,
    ...{ kvHeads: 1, headDim: 48, parallelBlocks: false, residualStreams: 4 },
    attention: {
      ...fullAttention,
      index: { positions: 32, heads: 4, headDim: 32, firstLayers: 0, every: 1 },
      compressed: {
        ...{ queryRank: 96, outputGroups: heads % 2 === 0 ? 2 : 1, outputRank: 64, window: 128 },
        sparse: { positions: 4, layers: Math.ceil(layers / 2) },
        heavy: { positions: 64, layers: Math.floor(layers / 3) },
      },
    },
  }
}

const hardware = pick<Pick<InferenceOptions<never>, 'chip' | 'chips' | 'topology'>>(
  { chip: 'tpu-v5e', topology: [2, 2] },
  { chip: 'tpu-v5e', topology: [2, 4] },
  { chip: 'tpu-v5p', topology: [2, 2, 2] },
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 6 },
  { chip: 'h100-sxm', chips: 8 },
  { chip: 'a100-80g-sxm', chips: 16 },
)

const assumptions: fc.Arbitrary<Partial<Assumptions> & Pick<Assumptions, 'basis'>> = fc
  .record({
    basis: pick<Assumptions['basis']>('book', 'calibrated', 'calibrated'),
    said: fc.record(
      {
        overlapInference: pick(0, 0.5, 1),
        twoBatchOverlap: fc.boolean(),
        redundantExperts: pick(0, 1, 4),
        expertImbalance: pick(1, 1.5),
        hierarchicalDispatch: fc.boolean(),
        directGeneration: fc.boolean(),
        searchWeightLayouts: fc.boolean(),
        padHeads: fc.boolean(),
        latencyFactor: pick(0, 1, 30),
        scaleUpHalfBytes: pick(0, 1e7, 1e10),
        inNetworkReduction: fc.boolean(),
        finiteRings: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ basis, said }) => ({ ...said, basis }))

export const narrowing: fc.Arbitrary<Constraints> = pick<Constraints>(
  { tensor: { max: 2 } },
  { pipeline: 1 },
  { pipeline: { min: 2 } },
  { data: [1, 2] },
  { expert: 1 },
  { context: 1 },
)

const constraints: fc.Arbitrary<Constraints> = fc.oneof(
  { arbitrary: pick<Constraints>({}), weight: 3 },
  { arbitrary: narrowing, weight: 1 },
  { arbitrary: pick<Constraints>({ tensor2: [2, 4] }), weight: 1 },
)

const generating: fc.Arbitrary<GenerateWorkload> = fc
  .tuple(generateWorkloads, pick(false, false, true), pick(undefined, undefined, 0.003, 0.02))
  .map(([workload, fills, maxStepSeconds]) => ({
    ...workload,
    ...(fills ? { batchSequences: 'max' as const } : {}),
    ...(maxStepSeconds === undefined ? {} : { maxStepSeconds }),
  }))

function problems<Workload extends GenerateWorkload | PrefillWorkload>(
  workloads: fc.Arbitrary<Workload>,
): fc.Arbitrary<InferenceProblem<Workload>> {
  return fc
    .record({
      model: models,
      on: hardware,
      workload: workloads,
      precision: fc.record({
        weights: pick('bf16' as const, 'int8' as const),
        kvCache: pick('bf16' as const, 'fp8' as const),
      }),
      assumptions,
      constraints,
      objective: pick('stepTime' as const, 'throughputPerChip' as const, 'latency' as const),
      /** Of what weights and caches take. */
      room: fc.double({ min: -0.3, max: 1.3, noNaN: true }),
      node: pick(null, 2, 4),
    })
    .map(({ on, room, node, ...rest }) => {
      const made = inferenceProblem({ ...on, ...rest, top: 1000 })
      const { cluster } = made
      const { network } = cluster
      const tiers =
        network.kind === 'torus' || node === null
          ? network
          : {
              ...network,
              tiers: network.tiers.map((tier, at) => (at === 0 ? { ...tier, size: node } : tier)),
            }
      const memoryBudget = (10 ** room * streamed(made as PhaseProblem)) / cluster.chips
      return { ...made, memoryBudget, cluster: { ...cluster, network: tiers } }
    })
}

/** All weights and caches, on however many chips. */
export function streamed(problem: PhaseProblem): number {
  const phase = phaseOf(inferenceModel(problem), problem)
  const work = phase.work(phase.leastPass(unitMesh))
  return weightBytes(problem, work) + cacheBytes(problem, work)
}

export const generatePhaseProblems = problems(generating)

/** Of some the longest sequence is much longer than what they hold on average. */
const longer = generatePhaseProblems.map(({ workload, ...problem }) => ({
  ...problem,
  workload: {
    ...workload,
    contextLength: workload.contextLength * (workload.contextLength % 3 === 0 ? 30 : 1),
  },
}))

export const phaseProblems: fc.Arbitrary<PhaseProblem> = fc.oneof(longer, problems(prefillWorkloads))
