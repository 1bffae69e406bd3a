/**
 * Time of a layer that no work accounts for, per microbatch and pass: h, and r more where tokens are routed.
 *
 *   overhead = (n·h + n_s·r)/L      n layers, those that predict further tokens too, n_s of them with experts, per layer of L
 *
 * A layer with a mixer or an MLP alone takes half of h. r is what the chip waits for the host between many small kernels, and for the counts of tokens that chips tell each
 * other before they send any. With a single expert nothing is routed.
 */
import type { Composition } from '../../model/composition.ts'
import { shareOfWhole } from '../../model/layer-pattern.ts'
import type { Problem } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import type { StageGroup } from '../step/stages.ts'

/** Overhead of the average layer of a model or a stage. */
export function layerOverhead(
  { model, assumptions }: Problem,
  { layers, dense, sparse }: Composition,
): Seconds {
  const { layerOverheadSeconds, expertLayerOverheadSeconds } = assumptions
  const routed = model.experts && model.experts.experts > 1 ? sparse : 0
  const whole = (dense + sparse) * shareOfWhole(model)
  return (whole * layerOverheadSeconds + routed * expertLayerOverheadSeconds) / layers
}

interface AverageLayer {
  readonly problem: Problem
  readonly layerOverhead: Seconds
}

/** Overhead of all layers of a stage. */
export function stageOverhead({ problem, layerOverhead: average }: AverageLayer, group: StageGroup): Seconds {
  return group.layers * (group.composition ? layerOverhead(problem, group.composition) : average)
}
