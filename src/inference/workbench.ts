/** What a search of inference writes to, beside terms that it never changes: each model has its own workbench, which its phases and plans hand down. */
import type { Traffic } from '../cost/communication/traffic.ts'
import { rememberedOf } from '../known.ts'
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
    lastShapes: { mesh: null, layouts: null, own: new Map(), like: null, ofLike: new Map() },
    products: [],
    traffics: [],
  }
}

/**
 * One for all that is asked of a model one thing after another: whoever writes on it sets the mesh and the pass first, and what it keeps is known by
 * these.
 */
export const benchOf = rememberedOf(createWorkbench)
