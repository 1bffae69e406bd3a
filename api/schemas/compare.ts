/** Request and answer of POST /compare. */
import { z } from 'zod'
import { phaseModes } from '../../src/modes/names.ts'
import { type Difference, memoryLines, timeLines } from '../../src/plan/comparison.ts'
import type { ServeDifference } from '../../src/plan/serve/comparison.ts'
import { axes } from '../../src/sharding/axis.ts'
import { plan } from './answer/plan.ts'
import { servePlan } from './answer/serve-plan.ts'
import { count, label } from './bound.ts'
import type { EvaluateAsked } from './evaluate.ts'
import { flag, list, number, numberOrNull, orNull, text, texts } from './field.ts'
import type { OptimizeRequest } from './optimize.ts'
import { picked } from './picked.ts'

const some = z.record(z.string().max(100), z.unknown())

const mostVariants = 8

export const compareRequest = z
  .strictObject({
    request: some
      .default({})
      .describe('Fields that all variants have in common: those of a request of /evaluate or /optimize.'),
    variants: z
      .array(z.looseObject({ name: z.exactOptional(label()) }))
      .min(2)
      .max(mostVariants)
      .describe(
        'Each variant is a request: its fields are merged over the common ones, objects recursively. A variant with a `plan` (or a launch file) is costed as by /evaluate; ' +
          'a variant without stands for the best plan that /optimize finds.',
      ),
    timeoutMs: count(60_000).default(10_000).describe('Milliseconds for all variants together.'),
  })
  .describe('Two to eight plans, or best plans of requests, side by side.')

export type CompareRequest = z.output<typeof compareRequest>

/** A variant as a request of its own, already validated. */
export interface Variant {
  readonly name: string
  readonly request: OptimizeRequest | EvaluateAsked
}

/** A validated comparison, as the edge passes it to the worker. */
export interface Comparison {
  readonly asked: CompareRequest
  readonly variants: readonly Variant[]
  readonly timeoutMs: number
}

const numbers = <Name extends string>(names: readonly Name[]) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, number(`Of ${name}.`)])) as Record<Name, z.ZodNumber>,
  )

const shown = z.object(
  picked(plan.shape, [
    ...(['feasible', 'infeasible', 'summary', 'chips', 'idleChips', 'mesh', 'stepTimeSeconds'] as const),
    ...(['lowerBoundSeconds', 'upperBoundSeconds', 'mfu', 'tokensPerSecond'] as const),
    ...(['tokensPerSecondPerChip', 'costPerMillionTokensUsd', 'costedTokens', 'timeSeconds'] as const),
    ...(['memoryBytes', 'bottleneck', 'bottleneckDetail'] as const),
  ]),
)

export const shownFields = Object.keys(shown.shape)

const ratios = {
  tokensPerSecondPerChipRatio: number('Ratio of the tokens a second and chip.'),
  costRatio: numberOrNull('Ratio of the costs of a token; null where a price is not known.'),
  explanation: texts('Why one takes longer, in sentences.'),
}

export const difference = z.object({
  stepTimeSeconds: number('Difference of the step times.'),
  stepTimeRatio: number('Ratio of the step times.'),
  timeSeconds: numbers(timeLines).describe(
    'Differences by part of the step; they add up to `stepTimeSeconds`.',
  ),
  communication: numbers(axes).describe('Differences of the time of collectives, by axis.'),
  memoryBytes: numbers([...memoryLines, 'total']).describe('Differences by part of the memory per chip.'),
  ...ratios,
}) satisfies z.ZodType<Difference>

const shownDeployment = z.object(
  picked(servePlan.shape, [
    ...(['feasible', 'infeasible', 'summary', 'disaggregated', 'chips', 'idleChips'] as const),
    ...(['maxSequences', 'stepTokens', 'ratio', 'requestsPerSecond', 'timeToFirstTokenSeconds'] as const),
    ...(['timePerOutputTokenSeconds', 'requestSeconds', 'tokensPerSecondPerChip'] as const),
    ...(['costPerMillionTokensUsd', 'costedTokens', 'queueing', 'kvTransfer'] as const),
  ]),
)

export const shownOfDeployment = Object.keys(shownDeployment.shape)

export const deploymentDifference = z.object({
  chips: number('Difference of the chips that work.'),
  requestsPerSecondRatio: number('Ratio of the requests a second.'),
  timeToFirstTokenSeconds: number('Difference of the times to the first token.'),
  timePerOutputTokenSeconds: number('Difference of the times of each further token.'),
  requestSeconds: number('Difference of the times of a whole request.'),
  ...ratios,
}) satisfies z.ZodType<ServeDifference>

const variantsOf = <Shown extends z.ZodType, Differing extends z.ZodType>(
  shownPlan: Shown,
  differing: Differing,
) =>
  list(
    'The variants, in the order of the request.',
    z.object({
      name: text('The name that the request gives, or its number.'),
      best: flag('True for the best plan of a search, false for a plan that the request gave.'),
      plan: shownPlan.nullable().describe('The plan; null where nothing fits.'),
      noPlan: texts('Why nothing fits; empty where there is a plan.'),
      difference: orNull(
        'This variant minus (or divided by) the first. Null for the first itself, and where one of the two has no plan.',
        differing,
      ),
      warnings: texts('Warnings of this variant that some other does not have.'),
    }),
  )

const shared = texts('Warnings that all variants have.')

export const stepComparison = z.object({
  mode: z.enum(['train', ...phaseModes]).describe('The mode of all variants.'),
  variants: variantsOf(shown, difference),
  warnings: shared,
})

export const serveComparison = z.object({
  mode: z.literal('serve').describe('The mode of all variants.'),
  variants: variantsOf(shownDeployment, deploymentDifference),
  warnings: shared,
})

export const compareResponse = z
  .discriminatedUnion('mode', [stepComparison, serveComparison])
  .describe("The answer for the workload's mode.")

export type CompareBody = z.output<typeof compareResponse>
