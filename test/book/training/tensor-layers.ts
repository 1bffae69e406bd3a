/** Whole layers, attention and MLP, under tensor parallelism in the forward pass: all of their collectives, one after another. */

import { book } from '../../../src/assumptions/book.ts'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { addBuckets, createTraffic, windowTime } from '../../../src/cost/communication/traffic.ts'
import { compile } from '../../../src/cost/compile/compile.ts'
import { extentsOf } from '../../../src/cost/compile/extents.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { resourceCount } from '../../../src/hardware/network/collective.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { derive } from '../../../src/sharding/derive.ts'
import type { Seconds } from '../../../src/units.ts'
import { freely } from '../../rounding.ts'
import { layerComponents } from '../../rules-of-thumb.ts'
import type { Arrangement } from '../hardware/networks.ts'
import { precisionOf } from '../precision.ts'

export function tensorForwardTime(
  model: Transformer,
  { network, mesh, placement }: Arrangement,
  tokens: number,
): Seconds {
  const extents = extentsOf(model, 1)
  const scale = createScale()
  setMesh(scale, mesh, extents, freely)
  setBatch(scale, tokens)
  const buckets = layerComponents(model, 'feature').flatMap((component) => {
    const derivation = derive(component, { zeroStage: 0, regatherActivations: false })
    return compile(derivation, extents, precisionOf(), book).forward.buckets
  })
  const sets = buckets.map(({ over }) => over)
  const costs = networkPrices(network, sets, book).placed(placement, mesh)
  const traffic = createTraffic(resourceCount(network))
  addBuckets(traffic, buckets, scale, costs, { assumptions: book, experts: null })
  return model.layers * windowTime(0, traffic, 'upper')
}
