/** Published runs as they appear beside plans, and as rows of fixtures/recipes.json. */
import { z } from 'zod'
import { expertTensors } from '../../../src/cost/communication/expert-tensor.ts'
import type { RecipeRecord, ShownRecipe } from '../../../src/plan/certainty/recipes.ts'
import { zeroStages } from '../../../src/sharding/states.ts'
import { flag, number, object, orNull, text, texts } from '../field.ts'
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

const hardware = {
  slices: z.exactOptional(z.int()),
  network: z.exactOptional(network),
  powerCapWatts: z.exactOptional(z.number()),
}

/** Strict, so that what is recorded is never asked without one of them. */
const assumptions = z.exactOptional(
  z.strictObject({
    basis: z.literal('calibrated'),
    lossChunks: z.exactOptional(z.int()),
    expertBufferFactor: z.exactOptional(z.number()),
    masterWeights: z.exactOptional(z.boolean()),
    fp8Share: z.exactOptional(z.number()),
    attentionEfficiency: z.exactOptional(z.number()),
    hbmEfficiency: z.exactOptional(z.number()),
    overlapCriticalPath: z.exactOptional(z.number()),
    expertRecipe: z.exactOptional(expertRecipeName),
    expertTensor: z.exactOptional(z.enum(expertTensors)),
    narrowDispatch: z.exactOptional(z.boolean()),
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
  assumedOtherwise: texts(
    'What its prediction has otherwise than the assumptions of the request: what its source says of the software. With `evaluate.assumptions` in the request all plans are costed so.',
  ),
  asRequested: orNull(
    'The same layout with the element types, assumptions and memory of the request. Null where chips, batch or length are others, where it cannot run so, or where there was no time.',
    z.object({
      stepTimeSeconds: number('Its step time.'),
      feasible: flag('Whether it fits.'),
    }),
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

/** Strict, so that nothing that is recorded is lost on the way into an answer. */
export const recipeRecord = z.strictObject({
  ...published.shape,
  shape: z.string(),
  asked: z.object({ precision, hardware: z.exactOptional(z.object(hardware)), assumptions }),
  beyondBudget: z.exactOptional(
    z.strictObject({ times: z.number(), unmodelled: z.exactOptional(z.string()) }),
  ),
}) satisfies z.ZodType<RecipeRecord>
