/** What an answer says about how a launch file was read. */

import { z } from 'zod'
import { frameworkName } from './names.ts'

export const launchRead = z.exactOptional(
  z
    .object({
      framework: z.enum([...frameworkName.options, 'megatron-bridge', 'deepspeed', 'accelerate']),
      version: z.string().describe('That the names were checked against.'),
      request: z
        .record(z.string(), z.unknown())
        .describe(
          'The request with what the file says spelled out: pointers of checks and suggestions are into this.',
        ),
      notes: z.array(z.string()).describe('What is counted otherwise than it is written.'),
      ignored: z.array(z.string()).describe('Known, and without a say in the layout.'),
      notUnderstood: z.array(z.string()),
    })
    .describe('Where the plan was a launch file: how it was read.'),
)

export type LaunchRead = NonNullable<z.output<typeof launchRead>>
