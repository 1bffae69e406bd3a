/** How much better than a given plan the best one is, if the request asks for it. */
import { z } from 'zod'
import { frameworks } from '../../../src/launch/framework.ts'
import type { Regret, ServeRegret } from '../../../src/plan/regret.ts'
import { flag, number, object, orNull, text, texts } from '../field.ts'
import { mesh } from '../given/axis.ts'

const ofSearch = {
  frameworks: z
    .array(z.enum(frameworks))
    .describe('Frameworks that launch both plans: that of a launch file, its own.'),
  exact: flag('False where the search ran out of time; `best` is then the best plan found so far.'),
}

const fields = z.object({
  savesFraction: number(
    'Fraction of the step time (with batch "max", of the time per token) that the best plan saves which the same frameworks launch under the constraints of the request: of those that are tied with the fastest, the one that `/optimize` prefers. Negative where the plan is faster.',
  ),
  best: object('That plan.', {
    summary: text('The plan in a line.'),
    mesh,
    stepTimeSeconds: number('Its step time.'),
  }),
  published: orNull(
    'The fastest published run of this very question that divides the model as the written plan does: a measured time says more than two predictions. Null where there is none.',
    z.object({
      software: text('What ran, and its release.'),
      source: text('Where it is published.'),
      stepTimeSeconds: number('What was measured.'),
      assumedOtherwise: texts('What its prediction has otherwise than the assumptions of the request.'),
    }),
  ),
  ...ofSearch,
}) satisfies z.ZodType<Regret>

export const regret = z.exactOptional(
  orNull(
    'Given where the request has `regret: true`: how much better the best plan is. Null where the plan does not fit.',
    fields,
  ),
)

const ofDeployment = z.object({
  savesFraction: number(
    'Fraction of the chips (without a rate in the request, of the time per request) that the best deployment saves which the same frameworks launch under the constraints of the request.',
  ),
  best: object('That deployment.', {
    summary: text('The deployment in a line.'),
    chips: number('Chips that it takes.'),
    requestsPerSecond: number('Requests a second that it sustains.'),
  }),
  ...ofSearch,
}) satisfies z.ZodType<ServeRegret>

export const serveRegret = z.exactOptional(
  orNull(
    'Given where the request has `regret: true`: how much better the best deployment is. Null where the deployment misses a limit.',
    ofDeployment,
  ),
)
