/** What a pass may fill of a chip: of prefill, and where no framework has to serve it, what any plan may. */
import { fillableBytes } from '../../cost/memory/budget.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes } from '../../units.ts'
import type { InferenceModel } from '../model.ts'
import type { Pass } from './pass.ts'

export function passBudget(model: InferenceModel, mesh: Mesh, pass: Pass): Bytes {
  return fillableBytes(model.setting) - besideBytes(model, mesh, pass)
}

/** What frameworks need beside it. */
export function besideBytes({ servable, setting }: InferenceModel, mesh: Mesh, pass: Pass): Bytes {
  return servable && pass.mode === 'generate' ? servable.needsBeside(setting, mesh, pass) : 0
}
