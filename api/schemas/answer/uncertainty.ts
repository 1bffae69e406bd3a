/** How sure a predicted time or rate is, and how plans compare given that. */

import { z } from 'zod'
import type { Choice } from '../../../src/plan/certainty/choice.ts'
import type { Preferred } from '../../../src/plan/certainty/preferred.ts'
import type { AgainstFirst } from '../../../src/plan/certainty/ties.ts'
import type { ServeUncertainty, Uncertainty } from '../../../src/plan/certainty/uncertainty.ts'
import { modeName } from '../names.ts'

const range = z.tuple([z.number(), z.number()])

const basis = z
  .object({
    regime: z
      .string()
      .describe('What these runs have in common: the narrowest that enough were measured of.'),
    rows: z.int().describe('Configurations that were measured.'),
    sources: z.int().describe('Places that they were published at.'),
    software: z.array(z.string()).describe('What ran, with its releases.'),
    median: z
      .number()
      .describe('What the middle one took over what was predicted: bands are not centred on predictions.'),
    widened: z
      .object({
        nineOfTen: z.number().describe('Of the band of nine of ten.'),
        eightOfTen: z.number().describe('Of the band of eight of ten.'),
      })
      .describe(
        'Powers by which bands are wider than these runs, so that they hold of sources not among them.',
      ),
  })
  .describe('The measured runs behind it; no constant was set on any of them.')

export const uncertainty = z
  .object({
    stepTimeRelative: range.describe(
      'Of the predicted step: one measured run of ten is faster than the first, one slower than the second.',
    ),
    nineOfTenSeconds: range.describe('Nine of ten measured runs lie between.'),
    basis,
  })
  .nullable()
  .describe(
    "Where measured runs lay of what was predicted for them; null where nobody measured, and of the book's arithmetic.",
  ) satisfies z.ZodType<Uncertainty | null>

export const serveUncertainty = z
  .object({
    requestsPerSecondRelative: range.describe(
      'Of the predicted rate: one published rate of ten is lower than the first, one higher than the second.',
    ),
    nineOfTenRequestsPerSecond: range.describe('Nine of ten published rates lie between.'),
    basis,
  })
  .nullable()
  .describe(
    'Where published rates lay of what was predicted for them.',
  ) satisfies z.ZodType<ServeUncertainty | null>

export const againstFirst = z
  .object({
    slowerBy: z.number().describe("Of the first plan's step, what this one is predicted to take longer."),
    chanceFaster: z
      .number()
      .describe(
        'That it is the faster of the two all the same, from how much errors of two layouts of one question were measured to differ.',
      ),
    tied: z.boolean().describe('That is at least two in five.'),
  })
  .nullable()
  .describe(
    'How it stands to the first of its list; null of a plan of no list, and of inference.',
  ) satisfies z.ZodType<AgainstFirst | null>

export const choice = z
  .object({
    chanceBest: z
      .number()
      .describe('Share of draws of the uncertain constants under which it is the fastest.'),
    expectedRegret: z
      .number()
      .describe('Of the best step under the same draw, what it takes longer on average.'),
    p90Regret: z.number().describe('The same, nine of ten times at most.'),
    expectedStepSeconds: z.number().describe('The mean of its steps.'),
    draws: z.int().describe('How many there was time for, of 200.'),
    among: z.int().describe('Plans that it was held against, itself among them.'),
  })
  .nullable()
  .describe(
    'How it stands where constants are uncertain: of training under the objective `robust`, else null.',
  ) satisfies z.ZodType<Choice | null>

export const preferred = z
  .object({
    rank: z.int(),
    id: z.string(),
    among: z.int().describe('How many plans are tied, the first among them.'),
    reasons: z.array(z.string()).describe('Why this one, against the first; none where it is the first.'),
  })
  .nullable()
  .describe(
    'Of the plans that are tied with the first, what is simplest to run.',
  ) satisfies z.ZodType<Preferred | null>

/** The schema of fixtures/residuals.json. */
const widening = z.strictObject({ nineOfTen: z.number(), eightOfTen: z.number() })
const differences = z.strictObject({
  pairs: z.int(),
  questions: z.int(),
  deciles: z.array(z.number()).length(11),
})

export const residualRecord = z.strictObject({
  generations: z.record(z.string(), z.array(z.string())),
  widened: z.strictObject({ train: widening, prefill: widening, generate: widening, serve: widening }),
  regimes: z.array(
    z.strictObject({
      mode: modeName,
      kind: z.enum(['dense', 'experts']).nullable(),
      era: z.enum(['modern', 'older']).nullable(),
      generation: z.string().nullable(),
      framework: z.string().nullable(),
      rows: z.int(),
      sources: z.int(),
      software: z.array(z.string()),
      quantiles: z.strictObject({
        p05: z.number(),
        p10: z.number(),
        p50: z.number(),
        p90: z.number(),
        p95: z.number(),
      }),
    }),
  ),
  differences: z.strictObject({ alike: differences, otherwise: differences }),
})
