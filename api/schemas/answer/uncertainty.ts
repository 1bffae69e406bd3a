/** How sure a predicted time or rate is, and how plans compare given that. */
import { z } from 'zod'
import type { Choice } from '../../../src/plan/certainty/choice.ts'
import type { Preferred } from '../../../src/plan/certainty/preferred.ts'
import { eras, kinds } from '../../../src/plan/certainty/residuals.ts'
import type { AgainstFirst } from '../../../src/plan/certainty/ties.ts'
import type { ServeUncertainty, Uncertainty } from '../../../src/plan/certainty/uncertainty.ts'
import { flag, number, object, orNull, text, texts, whole } from '../field.ts'
import { modeName } from '../names.ts'

const range = z.tuple([z.number(), z.number()])

const basis = object(
  'The measured runs behind the bands. No constant was fitted on any of those of the regime.',
  {
    regime: text(
      'What these runs have in common with the plan: the narrowest group with enough measured runs. Where the request names no software (`assumptions.stack`, `assumptions.expertRecipe`), they are predicted without theirs too.',
    ),
    rows: whole('Number of measured configurations.'),
    sources: whole('Number of publications that they come from.'),
    software: texts('Software that ran them, with its releases.'),
    median: number(
      'Median of measured over predicted time; in deployments, of measured over predicted rate. The bands are not centred on predictions.',
    ),
    widened: object(
      'Exponents by which the bands are widened beyond these runs, so that they also hold for sources that are not among them.',
      {
        nineOfTen: number('For the band that holds nine of ten.'),
        eightOfTen: number('For the band that holds eight of ten.'),
      },
    ),
    model: orNull(
      'Runs of this very model, on chips of this generation and under this framework, if they were off by a quarter or more in the median (of training, those whose sequences are of about this length): the bands then reach as far beyond their median as the regime reaches beyond its own. Runs that constants were fitted to count too, as they can only seem less far off than they are. Null where there are none, or they are nearer.',
      z.object({
        generation: text('Generation of their chips.'),
        framework: text('Framework that they ran under.'),
        rows: whole('Number of measured configurations.'),
        software: texts('Software that ran them, with its releases.'),
        median: number('Median of measured over predicted time.'),
      }),
    ),
  },
)

export const uncertainty = orNull(
  'How far measured runs were from their predictions. Null where no such runs are known, and under `book` assumptions.',
  z.object({
    stepTimeRelative: range.describe(
      'The 10th and 90th percentile of measured runs, as factors on the predicted step time.',
    ),
    nineOfTenSeconds: range.describe(
      'The range that holds nine of ten measured runs (5th to 95th percentile), applied to this step time.',
    ),
    basis,
  }),
) satisfies z.ZodType<Uncertainty | null>

export const serveUncertainty = orNull(
  'How far published rates were from their predictions; null where no such rates are known.',
  z.object({
    requestsPerSecondRelative: range.describe(
      'The 10th and 90th percentile of published rates, as factors on the predicted rate.',
    ),
    nineOfTenRequestsPerSecond: range.describe(
      'The range that holds nine of ten published rates (5th to 95th percentile), applied to this rate.',
    ),
    basis,
  }),
) satisfies z.ZodType<ServeUncertainty | null>

export const againstFirst = orNull(
  'Comparison with the first plan of the list; null for a plan that is in no list.',
  z.object({
    slowerBy: number(
      "How much longer the step of this plan is predicted to take, as a fraction of the first plan's; with batchSequences `max` and in serving how much more it takes for the same tokens or requests: chip-seconds, or chips where the request has a rate.",
    ),
    octaves: number(
      'How far apart the two layouts are: doublings of tensor, context, expert and pipeline between them, and those by which only one of them goes beyond all measured runs (fewer positions of a sequence on a chip, more tensor ranks than a node, more stages, more chips for experts). The further, the more their prediction errors were measured to differ.',
    ),
    chanceFaster: number(
      'Probability that this plan is nevertheless the faster one, from the measured differences between the prediction errors of two layouts of one model on the same chips.',
    ),
    tied: flag(
      'Whether the two can hardly be told apart: both `chanceFaster` and its complement are at least 0.4.',
    ),
  }),
) satisfies z.ZodType<AgainstFirst | null>

export const choice = orNull(
  'How the plan compares where constants are uncertain. Only in training with objective `robust`; otherwise null.',
  z.object({
    chanceBest: number('Fraction of draws of the uncertain constants in which this plan is the fastest.'),
    expectedRegret: number('Mean excess over the best step of the same draw, as a fraction of it.'),
    p90Regret: number('The 90th percentile of that excess.'),
    expectedStepSeconds: number('Mean step time over the draws.'),
    draws: whole('Number of draws; 200 unless time ran out.'),
    among: whole('Number of plans that were compared, including this one.'),
  }),
) satisfies z.ZodType<Choice | null>

export const preferred = orNull(
  'Of the plans that are tied with the first, the one that is simplest to run; null with fewer than two plans, or where no ties are known.',
  z.object({
    rank: whole('Its `rank` among the plans.'),
    id: text('Its `id`.'),
    among: whole('Number of tied plans, including the first.'),
    more: flag(
      'Whether more plans than are listed may be tied, as the last of them is: with a larger `top` another one may be preferred.',
    ),
    reasons: texts('Why this plan is preferred to the first; empty where it is the first.'),
  }),
) satisfies z.ZodType<Preferred | null>

/** The schema of fixtures/residuals.json. */
const widening = z.strictObject({ nineOfTen: z.number(), eightOfTen: z.number() })
const differences = z.strictObject({
  pairs: z.int(),
  questions: z.int(),
  apartIn: z.strictObject({ tensor: z.int(), context: z.int(), expert: z.int(), pipeline: z.int() }),
  deciles: z.array(z.number()).length(11),
})

const limit = z.number().nullable()

export const residualRecord = z.strictObject({
  generations: z.record(z.string(), z.array(z.string())),
  regimes: z.array(
    z.strictObject({
      mode: modeName,
      kind: z.enum(kinds).nullable(),
      era: z.enum(eras).nullable(),
      generation: z.string().nullable(),
      framework: z.string().nullable(),
      named: z.boolean().nullable(),
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
      widened: widening,
    }),
  ),
  models: z.array(
    z.strictObject({
      mode: modeName,
      shape: z.string(),
      generation: z.string(),
      framework: z.string(),
      named: z.boolean().nullable(),
      octave: z.int().nullable(),
      rows: z.int(),
      software: z.array(z.string()),
      median: z.number(),
    }),
  ),
  differences: z.strictObject({ growth: z.number(), training: differences, inference: differences }),
  ran: z.strictObject({
    ...{ positions: limit, tensorPerNode: limit, stages: limit },
    ...{ virtualStages: limit, expertRanks: limit },
  }),
})
