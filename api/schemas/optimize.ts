/** Request and answer of POST /optimize. */
import { z } from 'zod'
import { distincts } from '../../src/problem.ts'
import { inferenceAnswer } from './answer/inference-answer.ts'
import { serveAnswer } from './answer/serve-answer.ts'
import { trainingAnswer } from './answer/training-answer.ts'
import { count } from './bound.ts'
import { assumptionsRequest } from './given/assumptions.ts'
import { constraints } from './given/constraint.ts'
import { hardwareRequest } from './given/hardware.ts'
import { memoryBudget } from './given/memory-budget.ts'
import { modelRequest } from './given/model.ts'
import { precision } from './given/precision.ts'
import { workload } from './workload/workload.ts'

const objective = z
  .enum(['stepTime', 'throughputPerChip', 'costPerToken', 'latency', 'robust'])
  .default('stepTime')
  .describe(
    'What plans are ranked by. With a given batch the first four rank alike: the fastest step has the highest throughput and ' +
      'the lowest cost. With a batch of "max" in generation `latency` ranks by the time of a step, the others by seconds ' +
      'per token. Deployments (serve) are ranked by their chips, or where no rate is given by what a chip sustains. `robust` is of training: the 16 fastest plans ' +
      '(`top`, where that is more) are costed under 200 draws of the uncertain constants, and ranked by what each takes longer on average than the best ' +
      'of them (`choice`).',
  )

/** Fields of every request about plans. */
export const questionFields = {
  model: modelRequest,
  hardware: hardwareRequest,
  workload,
  memoryBudget: z.exactOptional(
    memoryBudget.describe("All of the chip's HBM by default; reserveFraction of it stays free."),
  ),
  precision: precision.prefault({}),
  constraints: constraints.default({}),
  assumptions: assumptionsRequest.default('calibrated'),
  objective,
  top: count(1000).default(10).describe('How many plans to answer, at most.'),
  distinct: z
    .enum(distincts)
    .default('family')
    .describe(
      'What the list tells apart; of what is alike the best plan is listed. `family`: the axes along which the model is cut up (tensor, context, expert, ' +
        'pipeline), so that every plan is another idea. `mesh`: all seven axes. `layout`: of training also ZeRO stage, way of ' +
        'context parallelism, microbatches and schedule.',
    ),
  timeoutMs: count(60_000)
    .default(10_000)
    .describe(
      'From the start of the search, not counting the wait for a free searcher. The answer then is the best so far, with `search.exact` false; 504 where nothing was found yet.',
    ),
} as const

export const optimizeRequest = z.strictObject(questionFields)

export type OptimizeRequest = z.output<typeof optimizeRequest>

export const optimizeResponse = z
  .discriminatedUnion('mode', [trainingAnswer, inferenceAnswer, serveAnswer])
  .describe("By the workload's mode.")
