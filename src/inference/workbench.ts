/** What a search of inference writes to, beside terms that it never changes: each phase has its own workbench, and hands it down. */
import type { Traffic } from '../cost/communication/traffic.ts'
import { createSizes, type Sizes } from './layout/local-sizes.ts'
import type { InferenceModel } from './model.ts'
import type { Pass } from './pass/pass.ts'
import type { LastShapes, PassNumbers } from './pass/pass-amounts.ts'

export interface Workbench extends InferenceModel {
  /** Sizes of the mesh and the pass that are being looked at. */
  readonly sizes: Sizes
  /** What a pass takes on the mesh on which it was last looked at. */
  readonly numbers: WeakMap<Pass, PassNumbers>
  readonly lastShapes: LastShapes
  /** Times of a component's products, by their numbers: written anew for each pass. */
  readonly products: number[]
  /** Written anew for each layout question. */
  readonly traffics: Traffic[]
}

export function createWorkbench(model: InferenceModel): Workbench {
  const { model: transformer, assumptions } = model.setting
  return {
    ...model,
    sizes: createSizes(transformer, assumptions, model.sums),
    numbers: new WeakMap(),
    lastShapes: { mesh: null, layouts: null, own: new Map() },
    products: [],
    traffics: [],
  }
}
