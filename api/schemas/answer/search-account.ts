/** How a search went, and what would have to change for a plan to exist. */
import { z } from 'zod'
import { countOrNone } from '../bound.ts'
import { flag, list, number, numberOrNull, object, optional, orNull, record, text, texts } from '../field.ts'

export const searchAccount = object('How the search went: every candidate is in one of the counts.', {
  enumerated: number('Candidates in the search space.'),
  pruned: number('Candidates that a bound showed to be no better than the plans that were found.'),
  evaluated: number('Candidates that were costed.'),
  infeasible: object('Candidates that cannot be run as asked, by reason.', {
    memory: number('They exceed the memory budget.'),
    divisibility: number('A mesh axis does not divide what it shards.'),
    topology: number('They do not join the slices of the network: only data, fsdp and pipeline cross them.'),
    constraint: number('The constraints of the request exclude them.'),
  }),
  unexamined: number(
    'Candidates not examined because `timeoutMs` ran out. They and the other counts add up to `enumerated`.',
  ),
  unbegun: number(
    'Meshes and smaller numbers of chips of which no candidates were listed because `timeoutMs` ran out. Each counts as one of `unexamined`, however many candidates it may have.',
  ),
  lowerBoundSeconds: numberOrNull('Lower bound of the step time of all plans.'),
  gap: numberOrNull('How much longer the best plan takes than `lowerBoundSeconds`, as a fraction of it.'),
  exact: flag(
    'Whether every candidate that could be better was examined; if not, the plans are the best found so far.',
  ),
  elapsedMs: z
    .number()
    .min(0)
    .describe('Milliseconds since the start of the search, which `timeoutMs` limits.'),
  waitedMs: z
    .number()
    .min(0)
    .describe('Milliseconds spent waiting for a free searcher before the search started.'),
})

const elasticity = z.number()

const sensitivity = object(
  'Elasticities d log(step time) / d log(resource) of the best plan, by central differences of 1 %: -0.5 means that 1 % more of the resource makes the step 0.5 % shorter. The plan does not change, nor does a batch of `max`; with more memory its rematerialisation is chosen again (in inference its layouts), and nothing else. Another plan may gain more: ask again with the resource changed.',
  {
    flops: elasticity.describe('For peak FLOP/s.'),
    hbmBandwidth: elasticity.describe('For the bandwidth of HBM.'),
    hostBandwidth: elasticity.describe('For the link between chip and host.'),
    iciBandwidth: elasticity.describe(
      'For the network inside a slice or node: ICI, or the innermost tier of switches.',
    ),
    dcnBandwidth: elasticity.describe(
      'For all networks between slices or nodes: DCN, or every other tier of switches together.',
    ),
    networks: record(
      'For each network by itself, by its name on this machine: `ici` and `dcn`, or the tiers of switches.',
      elasticity,
    ),
    memory: elasticity.describe(
      'd log(step time) / d log(memory per chip), averaged up to `memoryStep`; 0 where that is null. Of this plan, as `memoryStep` is.',
    ),
    memoryStep: orNull(
      'Step time falls in steps as memory grows. This is the smallest memory per chip at which the mesh of the best plan becomes faster, with rematerialisation chosen again (in inference the layouts of its components) and its microbatches, stages and batch as they are; null where more memory does not make that faster. With less than this another mesh or other microbatches may be faster already, or, with a batch of `max`, more sequences fit: ask again with another `memoryBudget`.',
      z.object({
        budgetBytes: number('Memory budget per chip.'),
        stepTimeSeconds: number('Step time with it.'),
      }),
    ),
  },
)

export const change = z.object({
  pointer: text('JSON pointer into the request.'),
  value: z.unknown().describe('The value to set there; null removes what is there.'),
})

/** With no plan there is nothing to be sensitive. */
export const sensitivityOrNull = orNull(
  'How the step time of the best plan depends on each resource; null where there is no plan.',
  sensitivity,
)

export const shortBytes = number(
  'Bytes per chip by which it exceeds the memory budget; 0 where it misses a limit on time.',
)

export const inFile = optional(
  'Where the plan was a launch file: what the change means there. Absent where the framework has no setting for it, or another host would have to be started with settings of its own.',
  z.object({
    set: texts('Settings to add, or to give another value, as the framework spells them.'),
    unset: texts('Settings to take away, as the file spells them.'),
  }),
)

const suggestion = object(
  'A change of the request that was tried: with `value` at `pointer`, and no other change, a plan exists. A `value` of null removes the field.',
  {
    change: text('The change, in words.'),
    pointer: text(
      'JSON pointer into the request; where the plan was a launch file, into this answer, below `/read/request`: make the change there, and send `read.request`.',
    ),
    value: z.unknown().describe('The value to set there; null removes what is there.'),
    detail: text('What the request would give with this change.'),
    also: z.exactOptional(z.array(change).describe('Further changes that have to be made with it.')),
    inFile,
  },
)

export const suggestionsOfPlan = optional(
  'Where the plan does not fit: changes of the request with which it does, each of them tried.',
  z.array(suggestion),
)

/** Reasons why there is no plan; `nearest` is the schema of the plan that comes closest. */
export function noPlan<T extends z.ZodType>(nearest: T) {
  return orNull(
    'Why there is no plan; null where there is one.',
    z.object({
      reasons: list(
        'What excludes the candidates.',
        z.object({
          reason: text('What kind of reason it is, such as `memory`, `divisibility`, `latency` or `rate`.'),
          detail: text('The reason in words.'),
          layouts: countOrNone(1e15).describe('Candidates that this reason excludes.'),
        }),
      ),
      nearest: nearest.nullable().describe('The plan that comes closest, and by how much it misses.'),
      suggestions: z.array(suggestion).describe('Changes of the request with which a plan exists.'),
    }),
  )
}
