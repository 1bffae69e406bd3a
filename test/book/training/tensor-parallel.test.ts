import { book } from '../../../src/assumptions/book.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import type { Component } from '../../../src/sharding/component.ts'
import { mlp } from '../../../src/sharding/tables/training-layout.ts'
import { catalogueModel } from '../../catalogue.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { sections } from '../coverage.ts'
import { crossing, leastAt } from '../crossing.ts'
import { type Arrangement, onRings, onSwitches, switched } from '../hardware/networks.ts'
import { modelOfSize } from '../models.ts'
import { precisionOf } from '../precision.ts'
import { leastTokens, type Mlp, mlpTime, type PassTime } from './mlp.ts'
import { tensorForwardTime } from './tensor-layers.ts'
import { memoryOf } from './training.ts'

/** They fall out of every limit. */
const [D, tokens] = [8192, 2 ** 20]
/** So large that one more or less is nothing. */
const many = 2 ** 20

section('tensor parallelism', (hold) => {
  hold('tr-layer-tp', 'the two passes of a tensor-parallel layer', (input) => {
    const arrangement = onRings({ tensor: { size: input('Y'), rings: input('M_Y') } }, input('W_bidi'))
    const chip = inventedChip(input('flops_per_s'))
    const layer: Mlp = { D: input('D'), F: input('F'), chip, arrangement, zeroStage: 0 }
    const { forward, backward } = mlpTime(layer, input('B'))
    return {
      math_fwd: forward.compute,
      math_bwd: backward.compute,
      tp_fwd: forward.communication,
      tp_bwd: backward.communication,
      tp_bwd_regather: mlpTime({ ...layer, regather: true }, input('B')).backward.communication,
    }
  })

  for (const id of ['tr-tp-limit-llama70b-M2', 'tr-tp-limit-llama70b-M3']) {
    hold(id, 'a width divides so many ways before activations take longer than products', (input) => ({
      Y_max: mostOnRings(input('flops_per_s'), input('W_ici'), input('M_Y'), input('F')),
    }))
  }

  hold('tr-tp-int8', 'in int8 both sides double, and the limit stays', (input) => {
    const chip = inventedChip({ int8: input('int8_ops') })
    const precision = precisionOf('int8', 'int8')
    const ring = onRings({ tensor: { size: 16, rings: 1 } }, input('W_ici'))
    const gather = groupCost(ring.network, ring.placement.groups.tensor, book)
    return {
      alpha_int8: gather.perByte / computeRates(chip, 'int8', book).secondsPerFlop,
      Y_max: mostTensor({ D, F: input('F'), chip, precision, component: inWeightsType }, (size) =>
        onRings({ tensor: { size, rings: 1 } }, input('W_ici')),
      ),
    }
  })

  hold('ai-ici-check', 'two axes of v5e divide LLaMA 70B 26 ways', (input) => ({
    Y_max: mostOnRings(input('alpha') * 9e10, 9e10, input('M_Y'), input('F')),
  }))

  hold('gpu-tp', 'a width divides over the GPUs of a node, and a little less beyond', (input) => {
    const [C, F] = [input('C'), input('F')]
    const chip = inventedChip(C)
    const acrossNodes = nodes(input('W_gpu'), input('W_node'))
    // The width at which so many GPUs are compute-bound on the scale-out network; between whole nodes it is linear.
    const widthFor = (gpus: number) => {
      const arrangement = onSwitches(acrossNodes, { tensor: gpus })
      const left = (width: number) => {
        const { forward } = mlpTime({ D, F: width, chip, arrangement, zeroStage: 0 }, tokens)
        return forward.compute - (forward.resources[1] ?? 0)
      }
      return crossing(left, 1, 1e9)
    }
    const [two, three] = [widthFor(16), widthFor(24)]
    return {
      node: mostOfManyGpus(C, switched([[null, input('W_gpu')]]), F),
      beyond: mostOfManyGpus(C, acrossNodes, F),
      two_node: 16 + (8 * (F - two)) / (three - two),
      llama70_node: mostOfManyGpus(C, switched([[null, input('W_gpu')]]), 28672),
    }
  })

  hold('gpu-quiz5-q2-3', 'LLaMA 70B on 4096 H100: tensor parallelism, ZeRO-3 or pipelines', (input) => {
    const [F, gpus, batch] = [input('F'), input('gpus'), input('batch')]
    const [tensor, pipeline] = [input('TP'), input('PP')]
    const chip = inventedChip(input('C'), Number.POSITIVE_INFINITY, 8e10)
    const h100Nodes = nodes(input('W'), 4e11)
    const memory = memoryOf({ model: modelOfSize(input('params')), chip, mesh: { tensor } })
    const layer = (sizes: Parameters<typeof onSwitches>[1], zeroStage: 0 | 3): Mlp => {
      return { D, F, chip, arrangement: onSwitches(h100Nodes, sizes), zeroStage }
    }
    const sharded = mlpTime(layer({ tensor, fsdp: gpus / tensor }, 3), batch).backward
    const piped = (data: number) => layer({ tensor, pipeline, data }, 0)
    const copies = mlpTime(piped(gpus / tensor / pipeline), batch).backward
    return {
      tp_limit: mostOfManyGpus(input('C'), switched([[null, input('W')]]), F),
      bytes_per_gpu_tp8: memory.states,
      fits_80e9: memory.short <= 0,
      tokens_per_gpu: batch / gpus,
      zero3_ok: sharded.compute > sharded.over('fsdp'),
      pp8_alpha: leastTokens(piped(many), overData) / (many * tensor * pipeline),
      pp8_ok: copies.compute > overData(copies),
    }
  })

  for (const id of ['in-q7-2dws-D8192-F32768-N64', 'in-q7-2dws-D8192-F28672-N256']) {
    hold(id, 'weights that lie still in two dimensions win on many chips', (input) => {
      const [chips, batch, ring] = [input('N'), input('B'), input('W_ici_bidi')]
      const layer = { D: input('D'), F: input('F'), chip: inventedChip(1), zeroStage: 0 } as const
      const inTurn = (arrangement: Arrangement) => mlpTime({ ...layer, arrangement }, batch).forward.inTurn
      // The book's X shards D over one axis, its YZ shards F over two.
      const inTwo = (count: number, X: number) =>
        inTurn(onRings({ tensor2: { size: X, rings: 1 }, tensor: { size: count / X, rings: 2 } }, ring))
      const inOne = inTurn(onRings({ tensor: { size: chips, rings: 3 } }, ring))
      const best = (count: number) => leastAt((X) => inTwo(count, X), 1.001, count / 1.001)
      const X = best(chips)
      const time = inTwo(chips, X)
      return {
        X_opt: X,
        YZ_opt: chips / X,
        t2d_s: time,
        t1d_s: inOne,
        coef: (time * Math.sqrt(chips) * ring) / (batch * input('D')),
        N_breakeven: crossing((count) => inTwo(count, best(count)) - inOne, 4, 1e4),
        two_d_wins: time < inOne,
      }
    })
  }

  for (const id of sections['tensor parallelism'].filter((id) => id.startsWith('art-tp'))) {
    hold(id, 'decoding LLaMA 65B sums the stream twice a layer', (input) => {
      const arrangement = onSwitches(switched([[null, input('bw_p2p')]]), { tensor: input('N_tp') })
      return { latency_s: tensorForwardTime(catalogueModel('llama-1-65b'), arrangement, input('batch')) }
    })
  }
})

function nodes(perGpu: number, perNode: number) {
  return switched([
    [8, perGpu],
    [null, perNode / 8],
  ])
}

function overData(pass: PassTime): number {
  return pass.over('data')
}

/** The degree at which the forward pass is as long in compute as in communication. */
function mostTensor(layer: Omit<Mlp, 'arrangement'>, arrange: (size: number) => Arrangement): number {
  const left = (size: number) => {
    const { forward } = mlpTime({ ...layer, zeroStage: 0, arrangement: arrange(size) }, tokens)
    return forward.communication - forward.compute
  }
  return crossing(left, 1.001, 1e12)
}

function mostOnRings(flops: number, ring: number, rings: number, F: number): number {
  return mostTensor({ D, F, chip: inventedChip(flops) }, (size) => onRings({ tensor: { size, rings } }, ring))
}

/** For each unit of width, of a model so wide that (Y-1)/Y is 1: the book's rounding, times its width. */
function mostOfManyGpus(flops: number, network: ReturnType<typeof switched>, F: number): number {
  const chip = inventedChip(flops)
  const wholeNodes = (size: number) => onSwitches(network, { tensor: 8 * Math.round(size / 8) })
  return mostTensor({ D, F: many * F, chip }, wholeNodes) / many
}

/** The MLP with activations of the weights' type: the service moves them in bf16 where the arithmetic is int8. */
const inWeightsType: Component = (() => {
  const plain = mlp('feature', false)
  const arrays = Object.entries(plain.arrays).map(([name, array]) => [name, { ...array, kind: 'weight' }])
  return { ...plain, arrays: Object.fromEntries(arrays) }
})()
