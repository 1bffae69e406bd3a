/** What people ran, beside plans; and a row of fixtures/recipes.json. */
import { z } from 'zod'
import type { Recipe, RecipeRecord } from '../../../src/plan/certainty/recipes.ts'
import { mesh } from '../given/axis.ts'

const time = z.object({
  stepTimeSeconds: z.exactOptional(z.number()),
  mfu: z.exactOptional(z.number().describe('Where a source prints no more.')),
})

export const recipe = z.object({
  source: z.string(),
  software: z.string(),
  release: z.string(),
  model: z.string().describe('Its name in the catalogue.'),
  chip: z.string(),
  chips: z.int(),
  batchSequences: z.number(),
  sequenceLength: z.number(),
  compute: z.string(),
  plan: z
    .object({
      mesh,
      zeroStage: z.int(),
      microbatchTokens: z.exactOptional(z.number()),
      pipelineSchedule: z.exactOptional(z.string()),
      virtualStages: z.exactOptional(z.int()),
      rematerialization: z.exactOptional(z.string()),
    })
    .describe('As /evaluate takes it: what the source states.'),
  measured: time,
  predicted: time
    .nullable()
    .describe(
      'At these settings, by `npm run accuracy`; null where the layout cannot be run as it is stated.',
    ),
}) satisfies z.ZodType<Recipe>

export const recipeRecord = z.object({ ...recipe.shape, shape: z.string() }) satisfies z.ZodType<RecipeRecord>
