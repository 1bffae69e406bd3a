/** How a search went, and what would have to change for a plan to exist. */
import { z } from 'zod'
import { countOrNone } from '../bound.ts'

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
  unexamined: z
    .number()
    .describe('Not looked at, as `timeoutMs` came first: the others and these are all that were enumerated.'),
  lowerBoundSeconds: z.number().nullable().describe('No plan is faster.'),
  gap: z
    .number()
    .nullable()
    .describe('How much longer the best plan takes than `lowerBoundSeconds`, over that.'),
  exact: z
    .boolean()
    .describe('Whether all was looked at that could be better; if not, the plans are the best so far.'),
  elapsedMs: z.number().min(0).describe('From the start of the search: what `timeoutMs` limits.'),
  waitedMs: z.number().min(0).describe('For a searcher to be free, before that.'),
})

const elasticity = z.number()

export const sensitivity = z
  .object({
    flops: elasticity,
    hbmBandwidth: elasticity,
    hostBandwidth: elasticity.describe('Of the link between chip and host.'),
    iciBandwidth: elasticity.describe(
      'Of the network inside a slice or node: ICI, or the innermost tier of switches.',
    ),
    dcnBandwidth: elasticity.describe(
      'Of all networks between slices or nodes: DCN, or every other tier of switches together.',
    ),
    networks: z
      .record(z.string(), elasticity)
      .describe('Of each network by itself, by its name on this machine: `ici` and `dcn`, or its tiers.'),
    memory: elasticity.describe('d log(step) / d log(memory) up to `memoryStep`; 0 where there is none.'),
    memoryStep: z
      .object({ budgetBytes: z.number(), stepTimeSeconds: z.number() })
      .nullable()
      .describe(
        'Time falls in steps as memory grows: the least budget of a chip with which the mesh and layout of the best plan are faster, what they recompute chosen again. Null where more memory gains nothing there.',
      ),
  })
  .describe(
    'Elasticities d log(step) / d log(resource) of the best plan, held as it is: by central differences of 1 %. A batch of `max` is held too.',
  )

const change = z.object({ pointer: z.string(), value: z.unknown() })

export const suggestion = z
  .object({
    change: z.string(),
    pointer: z.string(),
    value: z.unknown(),
    detail: z.string(),
    also: z.exactOptional(z.array(change).describe('Further changes that go with it.')),
  })
  .describe('Tried alone: with `value` at `pointer` of the request a plan exists; null leaves it out.')

export const suggestionsOfPlan = z.exactOptional(
  z
    .array(suggestion)
    .describe('Where the plan does not fit: changes of the request, each tried, with which it does.'),
)

/** Reasons why there is no plan; `nearest` is the schema of the plan that comes closest. */
export function noPlan<T extends z.ZodType>(nearest: T) {
  return z
    .object({
      reasons: z.array(z.object({ reason: z.string(), detail: z.string(), layouts: countOrNone(1e15) })),
      nearest: nearest.nullable(),
      suggestions: z.array(suggestion),
    })
    .nullable()
    .describe('Why there is no plan, where there is none.')
}
