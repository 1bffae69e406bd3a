import fc from 'fast-check'
import { expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { book } from '../../../src/assumptions/book.ts'
import { sumTerms } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { forwardFlops } from '../../../src/model/flops.ts'
import { kvCacheBytesPerToken } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import type { MixtureOfExperts, Transformer } from '../../../src/model/transformer.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { type Mesh, meshSize, replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueChip } from '../../catalogue.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'
import { layerComponents } from '../../rules-of-thumb.ts'
import { type Input, section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { crossing } from '../crossing.ts'
import { onSwitches, switched } from '../hardware/networks.ts'
import { modelOf } from '../models.ts'
import { precisionOf } from '../precision.ts'
import { activation, einsum, weight } from '../products/einsum.ts'
import { batchOfNoWait, wide } from '../products/matmul.ts'
import { leastTokens, type Mlp, mlpTime } from './mlp.ts'
import { problemOf, scaleOf } from './training.ts'

section('mixtures of experts', (hold) => {
  hold('tf-q8-moe', 'experts need E/k times the tokens that a dense matmul needs', (input) => {
    const chip = inventedChip(input('flops_bf16'), input('hbm'))
    return { critical_batch_tokens: criticalBatchOf(input, chip, 'int8') }
  })

  hold('in-q5', 'sixteen experts, two of them active: parameters, cache and FLOPs', (input) => {
    const letters = {
      layers: input('L'),
      dModel: input('D'),
      dFf: input('F'),
      heads: input('N'),
      kvHeads: input('K'),
      headDim: input('H'),
      vocab: input('V'),
      tiedEmbeddings: true,
    }
    const model = modelOf({ ...letters, experts: mixture(input('E'), input('k'), input('F')) })
    const dense = parameterCount(modelOf(letters)).total
    const { total, active } = parameterCount(model)
    return {
      total_params: total,
      active_params: active,
      total_over_dense: total / dense,
      active_over_dense: active / dense,
      critical_batch: criticalBatchOf(input, inventedChip(input('alpha'), 1), 'bf16'),
      kv_bytes_per_token: kvCacheBytesPerToken(model, elementBytes.int8),
      fwd_flops_per_token: forwardFlops(model, 1, 1, 'none').total,
    }
  })

  for (const [id, weights] of [
    ['in-q6-int8', 'int8'],
    ['in-q6-bf16', 'bf16'],
  ] as const) {
    hold(id, `its weights in ${weights} on slices of v5e, all of them sharded over every chip`, (input) => {
      const chip = catalogueChip('tpu-v5e', 'book')
      const held = (mesh: Partial<Mesh>) => weightBytes(sixteenExperts, mesh, weights)
      const bytes = held({ tensor: 8, expert: 16 })
      const slices = chip.system.kind === 'torus' ? (chip.system.slices ?? []) : []
      const sizes = slices.map((slice) => slice.reduce((chips, size) => chips * size, 1))
      const enough = sizes.filter((chips) => {
        const expert = Math.min(16, chips)
        return held({ expert, tensor: chips / expert }) <= chip.hbmBytes
      })
      return {
        bytes_per_chip: bytes,
        load_s: bytes * computeRates(chip, 'bf16', book).secondsPerByte,
        free_bytes_per_chip: chip.hbmBytes - bytes,
        min_chips: (bytes * input('chips')) / chip.hbmBytes,
        min_slice_chips: Math.min(...enough),
      }
    })
  }

  for (const id of ['gpu-ragged-a2a-Z8-k8', 'gpu-ragged-a2a-Z64-k8', 'gpu-ragged-a2a-Z16-k2']) {
    hold(id, 'of a full AllToAll a token takes the share of the devices that its experts are on', (input) => {
      const [Z, k] = [input('Z'), input('k')]
      const tokens = 1000
      const layer = expertLayer({ E: Z, k, F: 1, expert: Z, perGpu: 1 })
      // To every other device and back, a byte a second.
      const everywhere = 2 * tokens * D * elementBytes.bf16
      const factor = (terms: Assumptions) => mlpTime({ ...layer, terms }, tokens).forward.inTurn / everywhere
      const [approximate, exact] = [factor(book), factor({ ...book, choicesApart: false })]
      return {
        true_factor: exact,
        approx_factor: approximate,
        approx_over_true: approximate / exact,
      }
    })
  }

  hold('gpu-dp-moe', 'data parallelism of experts needs E/k times the tokens a GPU', (input) => {
    const [E, k] = [input('E'), input('k')]
    const perGpu = 9.9e14 / input('alpha')
    const layer = expertLayer({ E, k, F: 4096, data: many, perGpu, zeroStage: 0 })
    return { min_tokens_per_gpu: leastTokens(layer) / many }
  })

  hold(
    'gpu-ep-deepseek16',
    'expert parallelism over two nodes is bound by what goes between them',
    (input) => {
      const layer = (F: number): Mlp =>
        expertLayer({
          E: 256,
          k: input('k'),
          width: input('D'),
          F,
          expert: input('Z'),
          perGpu: Number.POSITIVE_INFINITY,
          perNode: input('W_node'),
          flops: input('flops_per_s'),
        })
      const forward = (F: number) => mlpTime(layer(F), input('B_tokens')).forward
      const { compute, communication } = forward(input('F'))
      return {
        math_s: compute,
        comms_s: communication,
        compute_bound: compute > communication,
        F_required: crossing((F) => forward(F).compute - forward(F).communication, 1, 1e6),
      }
    },
  )

  it('two AllToAlls take 4BD(Z-8)/(ZW)·min(8k/Z, 1) between nodes, for any Z and k', () => {
    const perNode = 4e11
    forAll(50, [fc.integer({ min: 2, max: 32 }), fc.integer({ min: 1, max: 32 })], (nodes, k) => {
      const Z = 8 * nodes
      const layer = expertLayer({ E: 256, k, F: 1, expert: Z, perGpu: Number.POSITIVE_INFINITY, perNode })
      const tokens = 1e6
      const [, between = Number.NaN] = mlpTime(layer, tokens).forward.resources
      const printed = ((4 * tokens * D * (Z - 8)) / (Z * perNode)) * Math.min((8 * k) / Z, 1)
      expect(between / printed).toBeCloseTo(1, 9)
    })
  })

  hold('gpu-ex-deepseek', 'DeepSeek-V3 on 2048 GPUs: 64-way experts in 16 stages, two replicas', (input) => {
    const mesh = { ...unitMesh, data: input('DP'), expert: input('EP'), pipeline: input('PP') }
    const made = problem({
      model: 'deepseek-v3',
      chip: 'h800-sxm',
      chips: input('gpus'),
      batchTokens: input('seqs') * input('seq'),
      sequenceLength: input('seq'),
    })
    const found = legal(evaluate(made, { mesh, zeroStage: 1 }, javascriptLpSolver))
    const { plan } = found
    const tokens = plan.microbatches * plan.microbatchTokens * replicasOf(plan.mesh)
    return {
      tokens,
      tokens_per_gpu: tokens / meshSize(plan.mesh),
      model_parallel: meshSize({ ...plan.mesh, data: 1 }),
    }
  })
})

/** So many replicas that (n-1)/n is 1. */
const many = 2 ** 20
const D = 7168

function mixture(experts: number, activeExperts: number, dFfExpert: number): MixtureOfExperts {
  return { experts, activeExperts, dFfExpert, sharedExperts: 0, denseLayers: 0, every: 1 }
}

/** The model of questions 5 and 6. */
const sixteenExperts = modelOf({
  layers: 64,
  dModel: 4096,
  dFf: 16_384,
  heads: 32,
  kvHeads: 8,
  headDim: 256,
  vocab: 32_128,
  tiedEmbeddings: true,
  experts: mixture(16, 2, 16_384),
})

/** A of E experts for each token, so wide that tokens are nothing beside the weights. */
function criticalBatchOf(input: Input, chip: ReturnType<typeof inventedChip>, weights: ElementType): number {
  const component = einsum(activation('B A F'), activation('B A D'), weight('A:E D F'))
  return batchOfNoWait(chip, (B) => ({
    component,
    extents: { B, A: input('k'), E: input('E'), D: wide, F: wide },
    precision: precisionOf(weights),
  }))
}

/** Weights on one chip, all of them sharded over the axes that the model's parts leave free. */
function weightBytes(model: Transformer, mesh: Partial<Mesh>, weights: ElementType): number {
  const asked = { model, mesh }
  const costs = costModel({ ...problemOf(asked), precision: precisionOf(weights) })
  const { layerStates, headStates } = stageModel(costs, 3)
  const scale = scaleOf(costs, asked)
  return model.layers * sumTerms(layerStates.weights, scale) + sumTerms(headStates.weights, scale)
}

interface ExpertLayer {
  readonly E: number
  readonly k: number
  readonly width?: number
  readonly F: number
  readonly expert?: number
  readonly data?: number
  /** Of one GPU in its node, and of a node of eight; one node of any size where absent. */
  readonly perGpu: number
  readonly perNode?: number
  readonly flops?: number
  readonly zeroStage?: 0 | 3
}

/** Experts of two matrices; a token crosses to a node once, however many of its experts are there. */
function expertLayer(asked: ExpertLayer): Mlp {
  const { E, k, width = D, F, expert = 1, data = 1, perGpu, perNode, flops = 9.9e14, zeroStage = 0 } = asked
  const tiers: (readonly [number | null, number])[] =
    perNode === undefined
      ? [[null, perGpu]]
      : [
          [8, perGpu],
          [null, perNode / 8],
        ]
  const experts = mixture(E, k, F)
  const component = layerComponents(modelOf({ gatedMlp: false, experts }), 'feature').at(-1)
  return {
    D: width,
    F,
    chip: inventedChip(flops),
    arrangement: onSwitches(switched(tiers), { expert, data }),
    zeroStage,
    experts,
    ...(component ? { component } : {}),
  }
}
