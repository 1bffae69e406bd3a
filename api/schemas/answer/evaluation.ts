/** Answers with the cost of one given plan, by the mode of the workload. */
import { z } from 'zod'
import type { EvaluateAnswer } from '../../../src/plan/answer.ts'
import type { InferencePlan, ServePlan } from '../../../src/plan/inference-plan.ts'
import { launchRead } from '../launch-read.ts'
import { phaseMode } from '../names.ts'
import { inferencePlan } from './inference-plan.ts'
import { plan } from './plan.ts'
import { regret, serveRegret } from './regret.ts'
import { modeOf, resolvedFields } from './resolved.ts'
import { suggestionsOfPlan } from './search-account.ts'
import { servePlan } from './serve-plan.ts'

function evaluationOf<Mode extends z.ZodType, Found extends z.ZodType, Regret extends z.ZodType>(
  mode: Mode,
  found: Found,
  given: Regret,
) {
  return z.object({
    mode: modeOf(mode),
    plan: found,
    suggestions: suggestionsOfPlan,
    read: launchRead,
    regret: given,
    ...resolvedFields,
  })
}

export const trainingEvaluation = evaluationOf(
  z.literal('train'),
  plan,
  regret,
) satisfies z.ZodType<EvaluateAnswer>

export const inferenceEvaluation = evaluationOf(phaseMode, inferencePlan, regret) satisfies z.ZodType<
  EvaluateAnswer<InferencePlan>
>

export const serveEvaluation = evaluationOf(z.literal('serve'), servePlan, serveRegret) satisfies z.ZodType<
  EvaluateAnswer<ServePlan>
>
