/** The chip-seconds of a step on any number of chips: every matmul and kernel of the batch once, with nothing recomputed or waited for. */

import { createScale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { computeTime } from '../../cost/compute/compute.ts'
import type { CostModel } from '../../cost/model.ts'
import { unitMesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'

export function leastWork(model: CostModel, sequences: number): Seconds {
  const { extents, rates, leastBackward, problem } = model
  const [stage] = model.stages
  if (!stage) throw new RangeError('No ZeRO stage was compiled')
  const scale = createScale()
  setMesh(scale, unitMesh, extents, problem.assumptions)
  setBatch(scale, sequences)
  const { layer, head } = stage
  const products = [...layer.forward.products, ...leastBackward.products]
  const ends = [...head.forward.products, ...head.backward.products]
  const { layers } = problem.model
  // Added up in another order than a step, so rounding must not put it above one.
  return (layers * computeTime(products, scale, rates) + computeTime(ends, scale, rates)) * (1 - 1e-12)
}
