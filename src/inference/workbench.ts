/** What a search of inference scribbles on, beside terms that it never changes: each phase has its own, and hands it down. */
import type { Traffic } from '../cost/communication/traffic.ts'
import { createSizes, type Sizes } from './layout/local-term.ts'
import type { InferenceModel } from './model.ts'
import type { Pass } from './pass/pass.ts'
import type { PassNumbers } from './pass/pass-amounts.ts'

export interface Workbench extends InferenceModel {
  /** Of the mesh and the pass that are looked at. */
  readonly sizes: Sizes
  /** What a pass takes on the mesh it was last looked at on. */
  readonly numbers: WeakMap<Pass, PassNumbers>
  /** Written anew by each question that is asked. */
  readonly traffics: Traffic[]
}

export function createWorkbench(model: InferenceModel): Workbench {
  const { model: transformer, assumptions } = model.setting
  return { ...model, sizes: createSizes(transformer, assumptions), numbers: new WeakMap(), traffics: [] }
}
