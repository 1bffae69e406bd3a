/** Whoever answers requests: takes a body as a person wrote it, and rejects it as the service would. */
import type { CalibrateBody } from '../schemas/calibrate.ts'
import type { CompareBody } from '../schemas/compare.ts'
import type { EvaluateBody, OptimizeBody, ValidateBody } from '../worker/desk.ts'

export interface Asker {
  readonly optimize: (body: unknown) => Promise<OptimizeBody>
  readonly evaluate: (body: unknown) => Promise<EvaluateBody>
  readonly validate: (body: unknown) => Promise<ValidateBody>
  readonly calibrate: (body: unknown) => Promise<CalibrateBody>
  readonly compare: (body: unknown) => Promise<CompareBody>
}
