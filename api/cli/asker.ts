/** Whoever answers requests: takes a body as a person wrote it, and rejects it as the service would. */
import type { CalibrateBody } from '../schemas/calibrate.ts'
import type { CompareBody } from '../schemas/compare.ts'
import type { EvaluateBody, OptimizeBody, ValidateBody } from '../worker/desk.ts'

/** The answer to each task that a command asks. */
export interface Answers {
  readonly optimize: OptimizeBody
  readonly evaluate: EvaluateBody
  readonly validate: ValidateBody
  readonly calibrate: CalibrateBody
  readonly compare: CompareBody
}

type Ask<Name extends keyof Answers> = (body: unknown) => Promise<Answers[Name]>

export type Asker = { readonly [Name in keyof Answers]: Ask<Name> }

export function askerOf(ask: <Name extends keyof Answers>(task: Name) => Ask<Name>): Asker {
  return {
    optimize: ask('optimize'),
    evaluate: ask('evaluate'),
    validate: ask('validate'),
    calibrate: ask('calibrate'),
    compare: ask('compare'),
  }
}
