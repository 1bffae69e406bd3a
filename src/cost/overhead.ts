/**
 * Time of a layer that no work accounts for, per microbatch and pass: h, and r more where tokens are routed.
 *
 *   overhead = h + s·r      s the share of the layers that have experts
 *
 * r is what the chip waits for the host between many small kernels, and for the counts of tokens that chips tell each
 * other before they send any. With a single expert nothing is routed.
 */
import type { Assumptions } from '../assumptions.ts'
import { expertLayers } from '../model/expert-layers.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Seconds } from '../units.ts'

export function layerOverhead(model: Transformer, assumptions: Assumptions): Seconds {
  const routed = model.experts && model.experts.experts > 1 ? expertLayers(model) / model.layers : 0
  return assumptions.layerOverheadSeconds + routed * assumptions.expertLayerOverheadSeconds
}
