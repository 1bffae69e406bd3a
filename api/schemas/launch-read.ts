/** What an answer says about how a launch file was read. */
import { z } from 'zod'
import { optional, record, text, texts } from './field.ts'
import { frameworkName } from './names.ts'

export const launchRead = optional(
  'How the launch file was read; only where the plan was one.',
  z.object({
    framework: z
      .enum([...frameworkName.options, 'megatron-bridge', 'deepspeed', 'accelerate'])
      .describe('Whose launch file it is.'),
    version: text('Release of the framework that option names were checked against.'),
    request: record(
      'The request with the fields that the file sets filled in. Pointers of checks refer to it, and those of suggested changes have `/read/request` before them. Sent by itself it gets the same answer; what the file alone is costed with is its `plan.costedWith`.',
      z.unknown(),
    ),
    notes: texts('What is costed differently from what the file says.'),
    ignored: texts('Known settings that do not affect the layout.'),
    notUnderstood: texts('Settings that are not known, and were not used.'),
  }),
)

export type LaunchRead = NonNullable<z.output<typeof launchRead>>
