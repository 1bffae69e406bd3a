/** Records of the catalogues, and the answers made of them: things with a source for each of their numbers. */
import { z } from 'zod'
import { activities } from '../../src/assumptions/stack.ts'
import { label } from './bound.ts'
import { bookFigures, chipNames, sources } from './cited.ts'
import { list, number, optional, orNull, whole } from './field.ts'
import { stackConstants } from './given/assumptions.ts'
import { chipFields } from './given/chip.ts'
import { activeConvention, architecture } from './given/model.ts'
import { elementType, expertRecipeName, frameworkName } from './names.ts'
import { picked } from './picked.ts'

export const modelRecord = z.strictObject({
  name: label(),
  architecture,
  published: z
    .strictObject({
      parameters: z.number().positive(),
      roundedTo: optional(
        'The unit of their last digit, where they are published by two digits alone.',
        z.number().positive(),
      ),
      activeParameters: z.exactOptional(z.number().positive()),
      activeWithout: optional(
        'What its authors leave out of the active parameters.',
        z.array(z.enum(['embedding', 'unembedding'])),
      ),
    })
    .describe('Parameter counts that its authors publish.'),
  config: optional(
    'Fields of its config.json that hardly affect cost but belong into a launch: positions, norms, biases, scoring of the router.',
    z.record(z.string(), z.unknown()),
  ),
  checkpoints: optional(
    'Checkpoints released by its authors. Inference uses the first, or the one whose weights have the type that `precision` asks for. Absent where none has fewer than 16 bits.',
    z
      .array(
        z.strictObject({
          name: label().describe('Name of the Hugging Face repository, as `owner/name`.'),
          config: z
            .strictObject({
              torch_dtype: z.enum(['bfloat16', 'float16', 'float32']),
              expert_dtype: z.exactOptional(z.string()),
              quantization_config: z.exactOptional(z.record(z.string(), z.unknown())),
            })
            .describe('Element types from its config.json. Names of modules may stand for all layers.'),
        }),
      )
      .min(1),
  ),
  sources,
})

export const modelEntry = modelRecord.extend({
  parameters: number('Number of parameters, counted from the architecture.'),
  activeParameters: number(activeConvention),
})

/** What the lists say of each. */
export const listed = {
  model: ['name', 'parameters', 'activeParameters', 'architecture'],
  chip: ['name', 'title', 'kind', 'aliases', 'hbmBytes', 'peakFlopsPerSecond'],
  stack: ['name', 'title', 'runs', 'framework', 'chips', 'constants'],
} as const

export const modelList = z.object({ models: z.array(z.object(picked(modelEntry.shape, listed.model))) })

export const chipRecord = z.strictObject({
  ...chipFields,
  ...chipNames,
  book: bookFigures,
  sources,
})

const ofChips = z.array(label()).min(1).describe('Names in /hardware that this applies to.')

const activity = z.enum(activities).describe('Whether it is about training or inference.')

const launchedBy = orNull(
  'The framework that launches its plans; null where plans are no longer launched with it.',
  frameworkName,
)

const stackRecipe = z.strictObject({
  name: expertRecipeName,
  releases: z
    .strictObject({ from: label(), to: z.exactOptional(label()) })
    .describe('Releases of the software whose recipes run this way; up to now where `to` is absent.'),
  usualIn: list('Training uses this way by default where matmuls run in one of these types.', elementType),
  constants: stackConstants.describe('Further constants that this way sets.'),
  fit: z
    .strictObject({
      configurations: z.int().min(0),
      measurements: z.int().min(0),
      medianError: z.number().min(0).describe('Median of |log(predicted / measured)|.'),
    })
    .describe(
      'The measured runs that the constants were fitted on, over all chips that the software runs on.',
    ),
})

export const stackRecord = z.strictObject({
  name: label(),
  title: label(),
  runs: activity,
  framework: launchedBy,
  chips: ofChips,
  constants: stackConstants.describe('The assumptions that it sets, with their values.'),
  expertRecipes: z
    .exactOptional(z.array(stackRecipe).min(1))
    .describe('The ways in which it runs layers with experts (`assumptions.expertRecipe`).'),
  fit: z
    .strictObject({
      software: z
        .array(label())
        .min(1)
        .describe('Software whose published runs the constants were fitted on.'),
      since: z.exactOptional(whole('Earliest year of these runs; 2023 where absent.')),
      alike: optional('Further chips whose runs of dense models are included.', z.array(label())),
      configurations: z
        .int()
        .min(0)
        .describe('Number of configurations; one that was measured several times counts once.'),
      measurements: z.int().min(0),
      medianErrorBefore: z
        .number()
        .min(0)
        .describe('Median of |log(predicted / measured)| without these constants.'),
      medianError: z.number().min(0).describe('The same median with the constants.'),
    })
    .describe(
      'The measured runs that the constants were fitted on, all of them marked for fitting (docs/accuracy.md).',
    ),
  sources,
})

export const stackList = z.object({ stacks: z.array(z.object(picked(stackRecord.shape, listed.stack))) })

export const chipList = z.object({ hardware: z.array(z.object(picked(chipRecord.shape, listed.chip))) })
