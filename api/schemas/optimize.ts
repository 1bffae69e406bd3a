/** Request and answer of POST /optimize. */
import { z } from 'zod'
import { distincts, objectives } from '../../src/problem.ts'
import { inferenceAnswer } from './answer/inference-answer.ts'
import { serveAnswer } from './answer/serve-answer.ts'
import { trainingAnswer } from './answer/training-answer.ts'
import { count } from './bound.ts'
import { optional } from './field.ts'
import { assumptionsRequest } from './given/assumptions.ts'
import { constraints } from './given/constraint.ts'
import { hardwareRequest } from './given/hardware.ts'
import { memoryBudget } from './given/memory-budget.ts'
import { modelRequest } from './given/model.ts'
import { precision } from './given/precision.ts'
import { workload } from './workload/workload.ts'

const objective = z
  .enum(objectives)
  .default('stepTime')
  .describe(
    'What plans are ranked by. With a given batch the first four rank alike: the fastest step has the highest throughput and ' +
      'the lowest cost. In generation with batch "max", `latency` ranks by step time and the others by seconds ' +
      'per token. Deployments (serve) are ranked by their number of chips, or without a rate by the requests that a chip sustains. `robust` is only for training: the 16 fastest plans ' +
      '(or `top` plans, if that is more) are costed under 200 draws of the uncertain constants, and ranked by how much longer each takes on average than the best ' +
      'of the draw (`choice`).',
  )

/** Fields of every request about plans. */
export const questionFields = {
  model: modelRequest,
  hardware: hardwareRequest,
  workload,
  memoryBudget: optional(
    "Memory that a plan may fill. Default: all of the chip's HBM, of which `assumptions.reserveFraction` stays free.",
    memoryBudget,
  ),
  precision: precision.prefault({}),
  constraints: constraints.default({}),
  assumptions: assumptionsRequest.default('calibrated'),
  objective,
  top: count(1000).default(10).describe('Most plans in the answer.'),
  distinct: z
    .enum(distincts)
    .default('family')
    .describe(
      'In what plans of the list have to differ; of plans that do not, only the best is listed. `family`: the axes that divide the model (tensor, context, expert, ' +
        'pipeline). `mesh`: any of the seven axes. `layout`: in training also ZeRO stage, way of ' +
        'context parallelism, microbatches or schedule.',
    ),
  timeoutMs: count(60_000)
    .default(10_000)
    .describe(
      'Time limit of the search in milliseconds, not counting the wait for a free searcher. When it ends, the answer has the best plans found so far, with `search.exact` false; 504 if none was found yet.',
    ),
} as const

export const optimizeRequest = z.strictObject(questionFields)

export type OptimizeRequest = z.output<typeof optimizeRequest>

export const optimizeResponse = z
  .discriminatedUnion('mode', [trainingAnswer, inferenceAnswer, serveAnswer])
  .describe("The answer for the workload's mode.")
