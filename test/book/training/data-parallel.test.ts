import { expect } from 'vitest'
import { catalogueChip } from '../../catalogue.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { onRings, onSwitches, switched } from '../hardware/networks.ts'
import { leastTokens, type Mlp, mlpTime, type PassTime } from './mlp.ts'
import { mostChips, v5p, v5pRing } from './v5p.ts'

const [D, F] = [8192, 32768]
/** So many replicas that (n-1)/n is 1. */
const many = 2 ** 20

const h100 = inventedChip(9.9e14)

section('data parallelism and FSDP', (hold) => {
  for (const id of ['tr-dp-crit-M1', 'tr-dp-crit-M2']) {
    hold(id, 'data parallelism and FSDP are compute-bound from the same tokens a chip', (input) => {
      const chip = inventedChip(input('flops_per_s'))
      const rings = input('mesh_axes')
      const size = 256
      const limit = (axis: 'data' | 'fsdp', zeroStage: 0 | 3) => {
        const arrangement = onRings({ [axis]: { size, rings } }, input('W_ici_bidi_per_axis'))
        return leastTokens({ D, F, chip, arrangement, zeroStage }) / size
      }
      const copies = limit('data', 0)
      expect(limit('fsdp', 3) / copies).toBeCloseTo(1, 5)
      return { min_tokens_per_chip: copies }
    })
  }

  hold('tr-layer-dp_or_fsdp', 'the two passes of an FSDP layer over three rings', (input) => {
    const arrangement = onRings({ fsdp: { size: input('X'), rings: input('M_X') } }, input('W_bidi'))
    const chip = inventedChip(input('flops_per_s'))
    const { forward, backward } = mlpTime({ D: input('D'), F: input('F'), chip, arrangement }, input('B'))
    return {
      math_fwd: forward.compute,
      math_bwd: backward.compute,
      fsdp_fwd: forward.communication,
      fsdp_bwd: backward.communication,
    }
  })

  hold('tr-bytes-table', 'what each layout moves, forwards and backwards', (input) => {
    const [X, Y] = [input('X'), input('Y')]
    // A ring of one byte a second: seconds are bytes, and an AllReduce's count twice.
    const time = (
      sizes: { fsdp?: number; data?: number; tensor?: number },
      zeroStage: 0 | 3,
      regather = false,
    ) => {
      const ringed = Object.entries(sizes).map(([axis, size]) => [axis, { size, rings: 1 }])
      const arrangement = onRings(Object.fromEntries(ringed), 1)
      const layer: Mlp = { D: input('D'), F: input('F'), chip: v5p, arrangement, zeroStage, regather }
      return mlpTime(layer, input('B'))
    }
    const [dp, fsdp, tensor] = [time({ data: X }, 0), time({ fsdp: X }, 3), time({ tensor: Y }, 0)]
    const mixed = time({ fsdp: X, tensor: Y }, 3)
    return {
      dp_bwd: dp.backward.inTurn,
      fsdp_fwd: fsdp.forward.inTurn,
      fsdp_bwd: fsdp.backward.inTurn,
      tp_fwd: tensor.forward.inTurn,
      tp_bwd: tensor.backward.inTurn,
      mixed_fwd: mixed.forward.inTurn,
      mixed_bwd_consistent: mixed.backward.inTurn,
      mixed_bwd_with_regather: time({ fsdp: X, tensor: Y }, 3, true).backward.inTurn,
    }
  })

  hold('tr-fsdp-deepseek', 'a batch keeps so many chips of v5p busy under FSDP', (input) => {
    const chips = mostChips(input('batch_tokens'))
    const { system } = catalogueChip('tpu-v5p', 'book')
    const pod = system.kind === 'torus' ? system.pod.reduce((product, size) => product * size, 1) : 0
    return { chips, pods: chips / pod }
  })

  for (const id of [
    'gpu-dp-crit-node',
    'gpu-dp-crit-h800',
    'gpu-dp-crit-b200_scaleout',
    'gpu-dp-crit-pp8_3200',
  ]) {
    hold(id, 'FSDP behind switches is compute-bound from so many tokens a GPU', (input) => {
      const arrangement = onSwitches(switched([[null, input('W_collective')]]), { fsdp: many })
      const chip = inventedChip(input('flops_per_s'))
      return { min_tokens_per_gpu: leastTokens({ D, F, chip, arrangement }) / many }
    })
  }

  hold('gpu-dp-llama3', 'FSDP over 16,000 H100 needs a batch of forty million tokens', (input) => {
    const arrangement = onSwitches(h100Nodes, { fsdp: input('gpus') })
    return { batch: leastTokens({ D, F, chip: h100, arrangement }) }
  })

  hold('gpu-dp-2node', 'two nodes have half to send: the scale-out bound halves', (input) => {
    const gpus = 8 * input('X_nodes')
    const arrangement = onSwitches(h100Nodes, { data: gpus })
    const scaleOut = (pass: PassTime) => pass.resources[1] ?? 0
    return {
      min_tokens_per_gpu: leastTokens({ D, F, chip: h100, arrangement, zeroStage: 0 }, scaleOut) / gpus,
    }
  })

  for (const id of ['gpu-quiz5-q3-16B', 'gpu-quiz5-q3-70B', 'gpu-quiz5-q3-314B']) {
    hold(id, 'model parallelism over q nodes divides the scale-out bound by q', (input) => {
      const [tensor, pipeline, gpus] = [input('TP'), input('PP'), input('gpus')]
      const replicas = gpus / tensor / pipeline
      const batch = input('global_batch_seqs') * input('seq')
      const layer = (data: number): Mlp => {
        const arrangement = onSwitches(h100Nodes, { tensor, pipeline, data })
        return { D, F, chip: h100, arrangement, zeroStage: 0 }
      }
      const backward = mlpTime(layer(replicas), batch).backward
      const scaleOut = (pass: PassTime) => pass.over('data')
      return {
        tokens_per_gpu: batch / gpus,
        needed: leastTokens(layer(many), scaleOut) / (many * tensor * pipeline),
        compute_bound: backward.compute > scaleOut(backward),
      }
    })
  }

  hold('tr-dcn-intensity', 'data parallelism over DCN needs so many tokens a slice', (input) => {
    const slices = 2
    const layer = acrossPods(slices, 8960, input('flops_per_s'), input('dcn_bytes_per_s_per_chip'), F)
    return { min_tokens_per_slice: leastTokens(layer, dcn) / slices }
  })

  hold('tr-dcn-time', 'a layer of two pods: its backward products and its sums over DCN', (input) => {
    const slices = input('N') / input('M')
    const layer = acrossPods(slices, input('M'), input('flops_per_s'), input('dcn'), input('F'))
    const { backward } = mlpTime(layer, input('B'))
    return { math_s: backward.compute, comms_s: dcn(backward), ratio: backward.compute / dcn(backward) }
  })
})

/** H100 nodes behind a full fat tree. */
const h100Nodes = switched([
  [8, 4.5e11],
  [null, 5e10],
])

/** FSDP over all three rings of a pod, whole copies in the others. */
function acrossPods(slices: number, chips: number, flops: number, dcnRate: number, width: number): Mlp {
  const arrangement = onRings({ fsdp: { size: chips, rings: 3 } }, v5pRing, {
    data: slices,
    dcnBytesPerSecondPerChip: dcnRate,
  })
  return { D, F: width, chip: inventedChip(flops), arrangement }
}

function dcn(pass: PassTime): number {
  return pass.resources.at(-1) ?? 0
}
