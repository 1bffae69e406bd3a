/** Records of the catalogues, and the answers made of them: things with a source for each of their numbers. */

import { z } from 'zod'
import { activities } from '../../src/assumptions/stack.ts'
import { label } from './bound.ts'
import { exactPartial } from './exact-partial.ts'
import { stackConstants } from './given/assumptions.ts'
import { chipFields } from './given/chip.ts'
import { activeConvention, architecture } from './given/model.ts'
import { chipKind, elementType, expertRecipeName, frameworkName } from './names.ts'

const { peakFlopsPerSecond, hbmBytes, hbmBytesPerSecond } = chipFields

const sources = z.record(z.string().regex(/^\//), z.string().min(1)).describe('A citation per JSON pointer.')

export const modelRecord = z.strictObject({
  name: label(),
  architecture,
  published: z
    .strictObject({
      parameters: z.number().positive(),
      activeParameters: z.exactOptional(z.number().positive()),
      activeWithout: z.exactOptional(
        z
          .array(z.enum(['embedding', 'unembedding']))
          .describe('What its authors leave out of the active ones.'),
      ),
    })
    .describe('What its authors say of it.'),
  config: z.exactOptional(
    z
      .record(z.string(), z.unknown())
      .describe(
        'Of its config.json what costs next to nothing and a launch has to say: positions, norms, biases, how its router scores.',
      ),
  ),
  checkpoints: z.exactOptional(
    z
      .array(
        z.strictObject({
          name: label().describe('Of the repository, as `owner/name`.'),
          config: z
            .strictObject({
              torch_dtype: z.enum(['bfloat16', 'float16', 'float32']),
              quantization_config: z.exactOptional(z.record(z.string(), z.unknown())),
            })
            .describe('What its config.json says of its numbers; names of modules may stand for all layers.'),
        }),
      )
      .min(1)
      .describe(
        'Released by its authors: inference takes the first, or the one with the weights that `precision` asks for. Absent where there is none in fewer than 16 bits.',
      ),
  ),
  sources,
})

export const modelEntry = modelRecord.extend({
  parameters: z.number().describe('As counted from the architecture.'),
  activeParameters: z.number().describe(activeConvention),
})

export const modelList = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      parameters: z.number().describe('As counted from the architecture.'),
      activeParameters: z.number().describe(activeConvention),
      architecture,
    }),
  ),
})

export const chipRecord = z.strictObject({
  ...chipFields,
  title: label(),
  aliases: z.array(label()),
  book: z.exactOptional(
    z
      .strictObject(exactPartial({ peakFlopsPerSecond, hbmBytes, hbmBytesPerSecond }))
      .describe('Used instead under the `book` assumptions.'),
  ),
  sources,
})

const ofChips = z.array(label()).min(1).describe('Names of /hardware that it is of.')

const activity = z.enum(activities).describe('What it is of: runs of training, or of inference.')

const launchedBy = frameworkName
  .nullable()
  .describe('The framework that launches it; null where no plan is launched by it any more.')

const stackRecipe = z.strictObject({
  name: expertRecipeName,
  releases: z
    .strictObject({ from: label(), to: z.exactOptional(label()) })
    .describe('Of the software, those whose recipes run so; until now where there is no `to`.'),
  usualIn: z
    .array(elementType)
    .describe('Where matmuls run in these types, it is what training has that names none.'),
  constants: stackConstants.describe('What it sets beside.'),
  fit: z
    .strictObject({
      configurations: z.int().min(0),
      measurements: z.int().min(0),
      medianError: z.number().min(0).describe('Of the logarithm of predicted over measured.'),
    })
    .describe('The rows behind them, of all chips that the software runs on.'),
})

export const stackRecord = z.strictObject({
  name: label(),
  title: label(),
  runs: activity,
  framework: launchedBy,
  chips: ofChips,
  constants: stackConstants.describe('What of the assumptions it sets.'),
  expertRecipes: z
    .exactOptional(z.array(stackRecipe).min(1))
    .describe('Ways in which it runs layers with experts that differ (`assumptions.expertRecipe`).'),
  fit: z
    .strictObject({
      software: z.array(label()).min(1).describe('Whose published runs the constants were set on.'),
      since: z.exactOptional(z.int().describe('Of runs of that year and later; 2023 where absent.')),
      alike: z.exactOptional(
        z.array(label()).describe('Chips whose runs of dense models count too, beside its own.'),
      ),
      configurations: z
        .int()
        .min(0)
        .describe('How many there were; one that was measured again counts once.'),
      measurements: z.int().min(0),
      medianErrorBefore: z
        .number()
        .min(0)
        .describe('Of the logarithm of predicted over measured, as calibrated.'),
      medianError: z.number().min(0).describe('The same with the constants.'),
    })
    .describe('The rows behind them: those marked for fitting alone (docs/accuracy.md).'),
  sources,
})

export const stackList = z.object({
  stacks: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      runs: activity,
      framework: launchedBy,
      chips: ofChips,
      constants: stackConstants,
    }),
  ),
})

export const chipList = z.object({
  hardware: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      kind: chipKind,
      aliases: z.array(z.string()),
      hbmBytes: z.number(),
      peakFlopsPerSecond,
    }),
  ),
})
