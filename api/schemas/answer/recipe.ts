/** Published runs as they appear beside plans, and as rows of fixtures/recipes.json. */
import { z } from 'zod'
import type { RecipeRecord, ShownRecipe } from '../../../src/plan/certainty/recipes.ts'
import { mesh } from '../given/axis.ts'
import { elementType, expertRecipeName, scheduleName } from '../names.ts'

const time = z.object({
  stepTimeSeconds: z.exactOptional(z.number()),
  mfu: z.exactOptional(z.number().describe('Where a source prints no more.')),
})

const zeroStage = z.literal([0, 1, 2, 3])

const recipePlan = z.object({
  mesh,
  zeroStage,
  microbatchTokens: z.exactOptional(z.number()),
  pipelineSchedule: z.exactOptional(scheduleName),
  virtualStages: z.exactOptional(z.int()),
  rematerialization: z.exactOptional(z.string()),
})

const precision = z.object({
  weights: elementType,
  compute: elementType,
  gradients: elementType,
  optimizer: elementType,
})

const network = z.object({
  scaleUpBytesPerSecondPerChip: z.exactOptional(z.number()),
  scaleOutBytesPerSecondPerChip: z.exactOptional(z.number()),
})

const hardware = { slices: z.exactOptional(z.int()), network: z.exactOptional(network) }

const assumptions = z.exactOptional(
  z.object({
    basis: z.literal('calibrated'),
    lossChunks: z.exactOptional(z.int()),
    masterWeights: z.exactOptional(z.boolean()),
    fp8Share: z.exactOptional(z.number()),
    attentionEfficiency: z.exactOptional(z.number()),
    hbmEfficiency: z.exactOptional(z.number()),
    overlapCriticalPath: z.exactOptional(z.number()),
    expertRecipe: z.exactOptional(expertRecipeName),
    overlapDispatch: z.exactOptional(z.number()),
  }),
)

const published = z.object({
  source: z.string(),
  software: z.string(),
  release: z.string(),
  model: z.string().describe('Its name in the catalogue.'),
  chip: z.string(),
  chips: z.int(),
  batchSequences: z.number(),
  sequenceLength: z.number(),
  compute: z.string().describe('As the source calls its types of numbers.'),
  plan: recipePlan.describe('As /evaluate takes it: what the source states.'),
  measured: time,
  predicted: time
    .nullable()
    .describe(
      'At these settings, by `npm run accuracy`; null where the layout cannot be run as it is stated.',
    ),
})

export const recipe = published.extend({
  evaluate: z
    .object({
      model: z.string(),
      hardware: z.object({ chip: z.string(), chips: z.int(), ...hardware }),
      workload: z.object({
        mode: z.literal('train'),
        batchSequences: z.number(),
        sequenceLength: z.number(),
      }),
      precision,
      assumptions,
      plan: recipePlan,
    })
    .describe('A body of /evaluate as it stands: the layout at the settings that it was published with.'),
  notes: z
    .array(z.string())
    .describe(
      'Why it is not among the plans where it is predicted to do more with a chip than the first, and which plan of a list of families stands for it.',
    ),
}) satisfies z.ZodType<ShownRecipe>

export const recipeRecord = published.extend({
  shape: z.string(),
  asked: z.object({ precision, hardware: z.exactOptional(z.object(hardware)), assumptions }),
}) satisfies z.ZodType<RecipeRecord>
