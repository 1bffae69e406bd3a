/** Training time at a given fraction of peak: the rule 6·P·tokens, divided over chips that reach it. */

import { book } from '../../../src/assumptions/book.ts'
import type { CompiledProduct } from '../../../src/cost/compile/compile.ts'
import { createScale, one, setMesh, termOf } from '../../../src/cost/compile/term.ts'
import { type ComputeRates, computeRates, computeTime } from '../../../src/cost/compute/compute.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { monomial } from '../../../src/sharding/monomial.ts'
import type { FlopsPerSecond, Seconds } from '../../../src/units.ts'
import { freely } from '../../rounding.ts'
import { denseTrainFlops } from '../../rules-of-thumb.ts'
import { inventedChip } from '../chips.ts'

export const day = 24 * 3600

export function ratesAt(flopsPerSecond: FlopsPerSecond, mfu: number): ComputeRates {
  return computeRates(inventedChip(flopsPerSecond), 'bf16', { ...book, matmulEfficiency: mfu })
}

export function trainingTime(
  parameters: number,
  tokens: number,
  chips: number,
  flopsPerSecond: FlopsPerSecond,
  mfu: number,
): Seconds {
  const extents = { FLOPs: denseTrainFlops(parameters, tokens) }
  const flops = termOf(monomial(1, ['FLOPs'], ['data']), extents, 1)
  const product: CompiledProduct = {
    flops,
    matmuls: one,
    bytes: [],
    attention: false,
    grouped: false,
    startedAgain: [],
    recomputed: false,
    weightGradient: false,
    times: 1,
  }
  const scale = createScale()
  setMesh(scale, { ...unitMesh, data: chips }, extents, freely)
  return computeTime([product], scale, ratesAt(flopsPerSecond, mfu))
}
