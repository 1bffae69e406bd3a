import { book } from '../../../src/assumptions/book.ts'
import { createScale, setMesh, termOf, termValue } from '../../../src/cost/compile/term.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import { axesOfArray, shardedArray } from '../../../src/sharding/array.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { monomial } from '../../../src/sharding/monomial.ts'
import { freely } from '../../rounding.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { crossing } from '../crossing.ts'
import { type Arrangement, onRings, withoutRings } from '../hardware/networks.ts'
import { mlpTime } from '../training/mlp.ts'
import { activation, commTime, einsum, mathTimeOn, timeOn, weight } from './einsum.ts'

/** Gather the weight, whole products everywhere; or partial products, and their sum. */
const gatherFirst = einsum(activation('B F'), activation('B D'), weight('D_X F'))
const reduceAfter = einsum(activation('B F'), activation('B D_X'), weight('D_X F'))

section('ways to multiply sharded matrices', (hold) => {
  for (const id of ['sh-q4-1024-8192-4', 'sh-q4-8192-8192-4', 'sh-q4-8192-4096-8']) {
    hold(id, 'gathering the weight first or summing after, whichever is faster', (input) => {
      const chip = inventedChip(input('flops_per_s'))
      const ring = onRings({ fsdp: { size: input('X'), rings: 1 } }, input('W_bidi'))
      const extents = { B: input('B'), D: input('D'), F: input('F') }
      const [first, after] = [gatherFirst, reduceAfter].map((component) =>
        longest(chip, ring, component, extents),
      )
      return {
        strategy1_s: first ?? 0,
        strategy2_s: after ?? 0,
        best: (first ?? 0) < (after ?? 0) ? 1 : 2,
      }
    })
  }

  hold(
    'sh-q4-thresholds',
    'where summing after is compute-bound, and where it is the better way',
    (input) => {
      const chip = inventedChip(input('flops_per_s'))
      const ring = (size: number) => onRings({ fsdp: { size, rings: 1 } }, input('W_bidi'))
      const mathLeft = (X: number) => {
        const { network, mesh, placement } = ring(X)
        const shape = { component: reduceAfter, extents: { B: 1e4, D: input('D'), F: 4096 }, mesh }
        return mathTimeOn(chip, shape) - commTime({ network, mesh, placement }, shape)
      }
      const gatherLeads = (D: number) => {
        const extents = { B: 1e4, D, F: 4096 }
        const time = (component: typeof gatherFirst) => longest(chip, ring(64), component, extents)
        return time(reduceAfter) - time(gatherFirst)
      }
      const gather = groupCost(ring(4).network, ring(4).placement.groups.fsdp, book)
      return {
        alpha: gather.perByte / computeRates(chip, 'bf16', book).secondsPerFlop,
        X_max: crossing(mathLeft, 1.0001, 1e4),
        D_threshold: crossing(gatherLeads, 10, 1e6),
      }
    },
  )

  hold('sh-q6', 'three shardings of one matmul on a v5e slice without rings', (input) => {
    const chip = inventedChip(input('flops_per_s'))
    const grid = (wraps: boolean): Arrangement => {
      const ring = { size: 4, rings: 1 }
      const arrangement = onRings({ fsdp: ring, tensor: ring }, 2 * input('W_uni'))
      return wraps ? arrangement : { ...arrangement, network: withoutRings(arrangement.network) }
    }
    const a = einsum(activation('I_X L'), activation('I_X J_Y'), weight('J_Y L'))
    const b = einsum(activation('I_X L_Y'), activation('I_X J'), weight('J_X L_Y'))
    const c = einsum(activation('I_X L_Y'), activation('I_X J'), weight('J L_Y'))
    const extents = { B: 1, I: input('I'), J: input('J'), L: input('K') }
    const math = (component: typeof a, sizes = extents) =>
      mathTimeOn(chip, { component, extents: sizes, mesh: grid(false).mesh })
    const moves = (component: typeof a, wraps: boolean, sizes = extents) =>
      commTime(grid(wraps), { component, extents: sizes })
    const left = (component: typeof a, sizes: typeof extents) =>
      math(component, sizes) - moves(component, false, sizes)
    return {
      math_s: math(a),
      a_allreduce_nowrap_s: moves(a, false),
      a_allreduce_ring_s: moves(a, true),
      b_allgather_nowrap_s: moves(b, false),
      b_allgather_ring_s: moves(b, true),
      c_comms_s: moves(c, false),
      a_compute_bound_iff_J_above_nowrap: crossing((J) => left(a, { ...extents, J }), 1, 1e7),
      b_compute_bound_iff_I_above_nowrap: crossing((I) => left(b, { ...extents, I }), 1, 1e7),
    }
  })

  hold('sh-q7', 'an MLP over four v5e that are a ring of four, tensor-parallel or gathered', (input) => {
    const [D, F, tokens] = [input('D'), input('F'), input('B')]
    const square = onRings({ tensor: { size: 4, rings: 2 } }, 2 * input('W_uni'))
    const open: Arrangement = { ...square, network: withoutRings(square.network) }
    const ring = onRings({ tensor: { size: 4, rings: 1 } }, 2 * input('W_uni'))
    const shards = onRings({ fsdp: { size: 4, rings: 1 } }, 2 * input('W_uni'))
    const forward = (arrangement: Arrangement, chip: Chip, batch: number) =>
      mlpTime({ D, F, chip, arrangement, zeroStage: arrangement === shards ? 3 : 0 }, batch).forward
    const chip = inventedChip(input('flops_per_s'))
    const hbmAlone = inventedChip(Number.POSITIVE_INFINITY, input('hbm'))
    return {
      matrix_bytes: bytesOn(1, 'D F_Y', { D, F }),
      act_bytes: bytesOn(1, 'B D', { B: tokens, D }),
      tp_weight_bytes_per_chip: bytesOn(4, 'D F_Y', { D, F }) + bytesOn(4, 'F_Y D', { D, F }),
      tp_math_s: forward(open, chip, tokens).compute,
      tp_hbm_load_s: forward(open, hbmAlone, 0).compute,
      tp_comms_s_4ring: forward(open, chip, tokens).communication,
      tp_comms_s_approx: forward(ring, chip, tokens).communication,
      fsdp_comms_s_approx: forward(shards, chip, tokens).communication,
    }
  })

  hold(
    'ai-4x8-checks',
    'at 64 tokens a tensor-parallel matmul reads weights longer than it gathers',
    (input) => {
      const { D, F, B } = { D: input('D'), F: input('F'), B: input('B') }
      const arrangement = onRings({ tensor: { size: input('Y'), rings: 1 } }, input('W_ici'))
      const component = einsum(activation('B F_Y'), activation('B D_Y'), weight('D F_Y'))
      const { mesh } = arrangement
      const chip = inventedChip(input('flops'), input('hbm'))
      const shape = { component, extents: { B, D, F }, mesh }
      const ici = commTime(arrangement, shape)
      const hbm = timeOn(chip, { component, extents: { B: 0, D, F }, mesh })
      const math = mathTimeOn(chip, shape)
      return { ici_s: ici, hbm_s: hbm, math_s: math, hbm_bound: hbm > Math.max(ici, math) }
    },
  )
})

function longest(
  chip: Chip,
  arrangement: Arrangement,
  component: typeof gatherFirst,
  extents: Readonly<Record<string, number>>,
): number {
  const shape = { component, extents, mesh: arrangement.mesh }
  return Math.max(timeOn(chip, shape), commTime(arrangement, shape))
}

/** On one of so many chips of the tensor axis. */
function bytesOn(chips: number, notation: string, sizes: Readonly<Record<string, number>>): number {
  const array = shardedArray('A', 'weight', notation)
  const names = array.dimensions.map(({ extent }) => extent)
  const scale = createScale()
  setMesh(scale, { ...unitMesh, tensor: chips }, sizes, freely)
  return termValue(termOf(monomial(1, names, axesOfArray(array)), sizes, elementBytes.bf16), scale)
}
