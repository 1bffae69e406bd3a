/** The book's MLP of two matrices under an inference layout: what it computes and moves, step by step. */
import { book } from '../../../src/assumptions/book.ts'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { createTraffic } from '../../../src/cost/communication/traffic.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import { resourceCount } from '../../../src/hardware/network/collective.ts'
import { compileLayout } from '../../../src/inference/layout/compile-layout.ts'
import { createSizes, setShape, setShards } from '../../../src/inference/layout/local-sizes.ts'
import { type ComponentTime, componentTime } from '../../../src/inference/time/component-time.ts'
import { inferenceMlp } from '../../../src/sharding/tables/inference-layout.ts'
import { layoutFields } from '../../../src/sharding/tables/inference-layout-fields.ts'
import type { ProjectionLayout } from '../../../src/sharding/tables/inference-sharding.ts'
import type { Arrangement } from '../hardware/networks.ts'
import { modelOf } from '../models.ts'
import { precisionOf } from '../precision.ts'

export interface InferenceMlp {
  readonly D: number
  readonly F: number
  readonly chip: Chip
  readonly arrangement: Arrangement
  readonly layout: ProjectionLayout
}

/** Of so many tokens, any real number, in bf16. */
export function inferenceMlpTime(
  { D, F, chip, arrangement, layout }: InferenceMlp,
  tokens: number,
): ComponentTime {
  const { network, mesh, placement } = arrangement
  const precision = precisionOf()
  const model = modelOf({ dModel: D, dFf: F })
  const compiled = compileLayout(
    { ...layoutFields(layout), component: inferenceMlp(layout, false) },
    precision,
    book,
    model,
  )
  const sizes = createSizes(model, book)
  setShards(sizes, mesh)
  setShape(sizes, { sequences: tokens, positions: 1, context: 1 })
  const sets = compiled.collectives.map(({ over }) => over)
  const costs = networkPrices(network, sets, book).placed(placement, mesh)
  const rates = computeRates(chip, precision.compute, book)
  const traffic = createTraffic(resourceCount(network))
  return componentTime(compiled, costs, {
    rates,
    assumptions: book,
    contexts: [],
    sizes,
    traffic,
    experts: null,
  })
}
