/** Published runs as they appear beside plans, and as rows of fixtures/recipes.json. */
import { z } from 'zod'
import { expertTensors } from '../../../src/cost/communication/expert-tensor.ts'
import type { RecipeRecord, ShownRecipe } from '../../../src/plan/certainty/recipes.ts'
import { zeroStages } from '../../../src/sharding/states.ts'
import { number, object, orNull, text, texts } from '../field.ts'
import { mesh } from '../given/axis.ts'
import { elementType, expertRecipeName, recomputation, scheduleName } from '../names.ts'

const time = z.object({
  stepTimeSeconds: z.exactOptional(z.number()),
  mfu: z.exactOptional(number('Given where the source prints no step time: a fraction of the bf16 peak.')),
})

const zeroStage = z.literal(zeroStages)

const recipePlan = z.object({
  mesh,
  zeroStage,
  microbatchTokens: z.exactOptional(z.number()),
  pipelineSchedule: z.exactOptional(scheduleName),
  virtualStages: z.exactOptional(z.int()),
  stageLayers: z.exactOptional(z.array(z.int())),
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

/** Strict, so that what is recorded is never asked without one of them. */
const assumptions = z.exactOptional(
  z.strictObject({
    basis: z.literal('calibrated'),
    lossChunks: z.exactOptional(z.int()),
    masterWeights: z.exactOptional(z.boolean()),
    fp8Share: z.exactOptional(z.number()),
    attentionEfficiency: z.exactOptional(z.number()),
    hbmEfficiency: z.exactOptional(z.number()),
    overlapCriticalPath: z.exactOptional(z.number()),
    expertRecipe: z.exactOptional(expertRecipeName),
    expertTensor: z.exactOptional(z.enum(expertTensors)),
    overlapDispatch: z.exactOptional(z.number()),
    recomputation: z.exactOptional(recomputation),
  }),
)

const published = z.object({
  source: z.string(),
  software: z.string(),
  release: z.string(),
  model: text('Its name in the catalogue.'),
  chip: z.string(),
  chips: z.int(),
  batchSequences: z.number(),
  sequenceLength: z.number(),
  compute: text('Element types, as the source names them.'),
  plan: recipePlan.describe('The plan as /evaluate takes it, as far as the source states it.'),
  measured: time,
  predicted: orNull(
    'Prediction at these settings (`npm run accuracy`); null where the layout cannot run as stated.',
    time,
  ),
})

export const recipe = published.extend({
  evaluate: object(
    'A complete body for /evaluate: the layout with the settings that it was published with.',
    {
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
    },
  ),
  notes: texts(
    'Why this recipe is not among the plans although it is predicted to be faster per chip than the first, and which plan of the list has the same family of layouts.',
  ),
  otherwise: texts(
    'What it has otherwise than the request: chips, sequences and their length, element types; empty for the very question.',
  ),
  timesFirst: z
    .nullable(z.number())
    .describe(
      'How many times as much as the first plan a chip does by the prediction: in tokens a second, or in MFU where that is all that was published. Null if its sequences are of another length, as tokens of longer ones cost more, if nothing is predicted of it, or if no plan is listed.',
    ),
  unlisted: texts(
    'Why it is not among the plans although it is predicted to be faster per chip than the first, in short; empty if it is not predicted to be.',
  ),
}) satisfies z.ZodType<ShownRecipe>

export const recipeRecord = published.extend({
  shape: z.string(),
  asked: z.object({ precision, hardware: z.exactOptional(z.object(hardware)), assumptions }),
}) satisfies z.ZodType<RecipeRecord>
