/**
 * The schema of an answer has the fields of the type that the answer is made as, and no others, at any depth: `npm run types` tells the
 * paths of those that differ. `satisfies`, where a schema stands, sees the types of all fields that are required, but neither
 * a field that only the schema has nor an optional one that it lacks.
 */
import type { z } from 'zod'
import type * as evaluations from '../../api/schemas/answer/evaluation.ts'
import type { inferenceAnswer } from '../../api/schemas/answer/inference-answer.ts'
import type { serveAnswer } from '../../api/schemas/answer/serve-answer.ts'
import type { trainingAnswer } from '../../api/schemas/answer/training-answer.ts'
import type * as comparisons from '../../api/schemas/compare.ts'
import type * as validations from '../../api/schemas/validate.ts'
import type { EvaluateAnswer, OptimizeAnswer } from '../../src/plan/answer.ts'
import type { Difference } from '../../src/plan/comparison.ts'
import type { InferenceAnswer, InferencePlan, ServeAnswer, ServePlan } from '../../src/plan/inference-plan.ts'
import type { ServeDifference } from '../../src/plan/serve/comparison.ts'
import type { Validation } from '../../src/validate.ts'

type Simple = string | number | boolean

type Names<Of> = Of extends unknown ? keyof Of : never

type ValueAt<Name, Of> = Of extends unknown ? (Name extends keyof Of ? NonNullable<Of[Name]> : never) : never

/** Paths of the fields of one type that the other lacks; objects with fields of any name lack none. */
type Lacking<One, Other, Path extends string> = One extends Simple
  ? never
  : One extends readonly (infer Item)[]
    ? Other extends readonly (infer OtherItem)[]
      ? Lacking<NonNullable<Item>, NonNullable<OtherItem>, `${Path}[]`>
      : never
    : {
        [Name in keyof One & string]: string extends Names<Other>
          ? never
          : Name extends Names<Other>
            ? Lacking<NonNullable<One[Name]>, ValueAt<Name, Other>, `${Path}/${Name}`>
            : `${Path}/${Name}`
      }[keyof One & string]

/** What the service adds to every answer that a search has made. */
type Added = '/mode' | '/read' | '/doubts' | '/regret' | '/search/elapsedMs' | '/search/waitedMs'

type Differing<Made, Schema extends z.ZodType> = Record<
  Exclude<Lacking<Made, z.output<Schema>, ''> | Lacking<z.output<Schema>, Made, ''>, Added>,
  never
>

export const optimized: Differing<OptimizeAnswer, typeof trainingAnswer> = {}
export const inferred: Differing<InferenceAnswer, typeof inferenceAnswer> = {}
export const served: Differing<ServeAnswer, typeof serveAnswer> = {}
export const evaluated: Differing<EvaluateAnswer, typeof evaluations.trainingEvaluation> = {}
export const inferenceEvaluated: Differing<
  EvaluateAnswer<InferencePlan>,
  typeof evaluations.inferenceEvaluation
> = {}
export const serveEvaluated: Differing<EvaluateAnswer<ServePlan>, typeof evaluations.serveEvaluation> = {}
export const validated: Differing<Validation, typeof validations.trainingValidation> = {}
export const serveValidated: Differing<Validation<ServePlan>, typeof validations.serveValidation> = {}
export const compared: Differing<Difference, typeof comparisons.difference> = {}
export const deploymentsCompared: Differing<ServeDifference, typeof comparisons.deploymentDifference> = {}
