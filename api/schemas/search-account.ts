/** What was searched, and what it would take to find a plan where there is none. */
import { z } from 'zod'
import { countOrNone } from './bound.ts'

export const searchAccount = z.object({
  enumerated: z.number(),
  pruned: z.number(),
  evaluated: z.number(),
  infeasible: z.object({
    memory: z.number(),
    divisibility: z.number(),
    topology: z.number(),
    constraint: z.number(),
  }),
  lowerBoundSeconds: z.number().nullable(),
  gap: z.number().nullable(),
  exact: z.boolean(),
  elapsedMs: z.number().min(0),
})

const elasticity = z.number()

export const sensitivity = z
  .object({
    flops: elasticity,
    hbmBandwidth: elasticity,
    iciBandwidth: elasticity,
    dcnBandwidth: elasticity,
    memory: elasticity,
  })
  .describe('Elasticities of the best step time.')

/** Why there is no plan; `nearest` is what comes closest. */
export function noPlan<T extends z.ZodType>(nearest: T) {
  return z
    .object({
      reasons: z.array(z.object({ reason: z.string(), detail: z.string(), layouts: countOrNone(1e15) })),
      nearest: nearest.nullable(),
      suggestions: z.array(
        z
          .object({ change: z.string(), pointer: z.string(), value: z.unknown(), detail: z.string() })
          .describe(
            'Tried alone: with `value` at `pointer` of the request a plan exists; null leaves it out.',
          ),
      ),
    })
    .nullable()
    .describe('Why there is no plan, where there is none.')
}
