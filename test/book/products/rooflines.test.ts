import { book } from '../../../src/assumptions/book.ts'
import { addPermute, createTraffic, windowTime } from '../../../src/cost/communication/traffic.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { shardedArray } from '../../../src/sharding/array.ts'
import type { Component } from '../../../src/sharding/component.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { crossing } from '../crossing.ts'
import { onRings, torus, withoutRings } from '../hardware/networks.ts'
import { precisionOf } from '../precision.ts'
import {
  activation,
  bytesOf,
  commTime,
  einsum,
  flopsOf,
  forwardWindow,
  intensity,
  mathTimeOn,
  type Shape,
  timeOn,
  weight,
} from './einsum.ts'
import { matmul, ridge, wide } from './matmul.ts'

section('rooflines of one product', (hold) => {
  hold('roof-tmath-1e12', 'a teraflop takes a millisecond', (input) => {
    const shape: Shape = { component: matmul, extents: { B: 1e3, D: 1e4, F: input('flops') / 2e7 } }
    return {
      h100_s: mathTimeOn(inventedChip(input('h100_flops_per_s')), shape),
      v6e_s: mathTimeOn(inventedChip(input('v6e_flops_per_s')), shape),
    }
  })

  hold('roof-bounds', 'the bounds of a window are the longer of its parts and their sum', (input) => {
    const network = torus([2], 1)
    const parts = [{ physical: 0, size: 2, stride: 1 }]
    const oneByteASecond = groupCost(network, { kind: 'torus', parts, slices: 1 }, book)
    const window = (compute: number, communication: number) => {
      const traffic = createTraffic(2)
      addPermute(traffic, communication, oneByteASecond, 1)
      return { lower: windowTime(compute, traffic, 'lower'), upper: windowTime(compute, traffic, 'upper') }
    }
    const asked = window(input('T_math_s'), input('T_comms_s'))
    const ratios = [0.1, 0.5, 1, 2, 10].map((share) => {
      const { lower, upper } = window(input('T_math_s'), share * input('T_math_s'))
      return upper / lower
    })
    return { T_lower_s: asked.lower, T_upper_s: asked.upper, ratio_max: Math.max(...ratios) }
  })

  hold('roof-dot-intensity-1048576', 'a dot product does half a FLOP for each byte', (input) => ({
    flops_per_byte: intensity({
      component: einsum(activation(''), activation('I'), activation('I')),
      extents: { I: input('N') },
    }),
  }))

  hold(
    'roof-matmul-intensity-240-1024-1024',
    'a matmul reads less for each FLOP the wider it is',
    (input) => ({
      flops_per_byte: intensity({
        component: matmul,
        extents: { B: input('B'), D: input('D'), F: input('F') },
      }),
      approx: intensity({ component: matmul, extents: { B: input('B'), D: wide, F: wide } }),
    }),
  )

  hold('roof-net-2chips', 'two chips that halve a contraction are compute-bound above a width', (input) => {
    const chip = inventedChip(input('flops_per_s'))
    const halves = onRings(
      { tensor: { size: input('n_chips'), rings: 1 } },
      2 * input('link_bytes_per_s_oneway'),
    )
    const line = { ...halves, network: withoutRings(halves.network) }
    const component = einsum(activation('B F'), activation('B D_Y'), weight('D_Y F'))
    const difference = (D: number) => {
      const shape: Shape = { component, extents: { B: 64, D, F: 1024 }, mesh: line.mesh }
      return mathTimeOn(chip, shape) - commTime(line, shape)
    }
    const exchange = groupCost(line.network, line.placement.groups.tensor, book)
    return {
      intensity: exchange.permutePerByte / computeRates(chip, 'bf16', book).secondsPerFlop,
      D_crit: crossing(difference, 1, 1e9),
    }
  })

  hold('roof-q4-batched-1', 'a matrix for each example is read for it alone', (input) => ({
    intensity: intensity({
      component: einsum(weight('B F'), weight('B D'), weight('B D F')),
      extents: { B: input('B'), D: input('D'), F: input('F') },
      precision: precisionOf('int8'),
    }),
  }))

  hold('roof-tile-512-1024', 'a tile that sweeps a long contraction reads its two edges', (input) => ({
    intensity: intensity({ component: matmul, extents: { B: input('bm'), D: wide, F: input('bn') } }),
  }))

  hold('tf-q3', 'an einsum does two FLOPs for every pairing of its indices', (_, inputs) => {
    const component = einsum(activation('K L M N O'), activation('I J K L'), activation('I J M N O'))
    return {
      flops: flopsOf(forwardWindow({ component, extents: inputs as Readonly<Record<string, number>> })),
    }
  })

  hold('gpu-quiz1-q4', 'a small batch waits for HBM, a large one for the tensor cores', (input, { B }) => {
    const [small = 0, large = 0] = B as readonly number[]
    const shape = (tokens: number): Shape => ({
      component: matmul,
      extents: { B: tokens, D: input('D'), F: input('F') },
    })
    return {
      bytes: bytesOf(forwardWindow(shape(small))),
      t64_s: timeOn(inventedChip(input('flops'), input('hbm')), shape(small)),
      t512_s: timeOn(inventedChip(input('flops'), input('hbm')), shape(large)),
      t512_hbm_s: timeOn(inventedChip(Number.POSITIVE_INFINITY, input('hbm')), shape(large)),
    }
  })

  for (const id of ['gpu-quiz1-q7-65536', 'gpu-quiz1-q7-1073741824']) {
    hold(id, 'an elementwise product waits for HBM alone', (input) => {
      const chip = inventedChip({ fp32: input('vec_flops') }, input('hbm'))
      const shape: Shape = {
        component: einsum(weight('I'), weight('I'), weight('I')),
        extents: { I: input('N') },
        precision: precisionOf('fp32', 'fp32'),
      }
      return { time_s: timeOn(chip, shape), hw_intensity: ridge(chip, 'fp32') }
    })
  }

  for (const id of [
    'tf-q4-attn-intensity-prefill-G1',
    'tf-q4-attn-intensity-prefill-G8',
    'tf-q4-attn-intensity-decode-G8',
    'tf-q4-attn-intensity-decode-G1',
  ]) {
    hold(id, 'attention reads queries once and shared keys once for all of their heads', (input) => ({
      intensity: intensity({
        component: attentionKernel,
        extents: { B: 1, T: input('T'), S: input('S'), N: 8 * input('G'), K: 8, H: 128 },
      }),
    }))
  }
})

/** Queries of T positions on S keys: the two products of the fused kernel, without the score matrix. */
const attentionKernel: Component = {
  name: 'attention',
  arrays: {
    Q: shardedArray('Q', 'activation', 'B T N H'),
    K: shardedArray('K', 'activation', 'B S N:K H'),
    V: shardedArray('V', 'activation', 'B S N:K H'),
    Scores: shardedArray('Scores', 'scores', 'B T S N'),
    Att: shardedArray('Att', 'activation', 'B T N H'),
  },
  einsums: [
    { out: 'Scores', left: 'Q', right: 'K', kind: 'attention' },
    { out: 'Att', left: 'Scores', right: 'V', kind: 'attention' },
  ],
}
