import { book } from '../../../src/assumptions/book.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import { forwardFlops } from '../../../src/model/flops.ts'
import { layerParameters } from '../../../src/model/parameters.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueChip } from '../../catalogue.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { modelOf, modelOfSize } from '../models.ts'
import { precisionOf } from '../precision.ts'
import { activation, bytesOf, einsum, forwardWindow, type Shape, timeOn, weight } from './einsum.ts'

section('reading weights', (hold) => {
  hold('tpu-q1-load-latency', 'weights are read from the HBM of all chips at once', (input) => {
    const chips = input('chips')
    return {
      bytes_per_chip: bytesOf(forwardWindow(weightsAlone(input('params'), chips))),
      latency_s: loadTime(inventedChip(1, input('hbm_bytes_per_s')), input('params'), chips),
      latency_s_table_bw: loadTime(catalogueChip('tpu-v4', 'book'), input('params'), chips),
    }
  })

  hold('in-q3', 'int8 weights are read in one pass over HBM', (input) => {
    const chip = inventedChip(1, input('hbm'))
    return { time_s: loadTime(chip, input('param_bytes'), input('chips'), 'int8') }
  })

  hold('in-appA-latency', 'an MLP on four chips cannot be faster than its weights are read', (input) => {
    const chip = inventedChip(1, input('hbm'))
    const { mlp } = layerParameters(modelOf({ dModel: 8192, dFf: 32768, gatedMlp: false }))
    return {
      min_latency_s: loadTime(chip, input('params'), input('shards')),
      exact_params: mlp,
      exact_latency_s: loadTime(chip, mlp, input('shards')),
    }
  })

  hold('ai-w1-405b', 'a token of a 405B model takes 2 P FLOPs, and its weights once through HBM', (input) => {
    const chip = inventedChip(input('flops'), input('hbm'))
    const model = modelOfSize(input('params'))
    const perToken = forwardFlops(model, 1, 1, 'none').total
    const { secondsPerFlop } = computeRates(chip, 'bf16', book)
    return {
      flops_per_token: perToken,
      flops_bound_s_times_N: perToken * secondsPerFlop,
      comms_bound_bf16_s_times_N: loadTime(chip, input('params'), 1),
      comms_bound_int8_s_times_N: loadTime(chip, input('params'), 1, 'int8'),
    }
  })
})

/** A product of no tokens has its weights to read and nothing else. */
function weightsAlone(parameters: number, chips: number, weights: ElementType = 'bf16'): Shape {
  return {
    component: einsum(activation('B F_Y'), activation('B D'), weight('D F_Y')),
    extents: { B: 0, D: 1, F: parameters },
    precision: precisionOf(weights),
    mesh: { ...unitMesh, tensor: chips },
  }
}

function loadTime(chip: Chip, parameters: number, chips: number, weights: ElementType = 'bf16'): number {
  return timeOn(chip, weightsAlone(parameters, chips, weights))
}
