/** How frameworks start a plan: what a client may read of it by name. */
import { z } from 'zod'
import { list, object, optional, text } from '../field.ts'

const start = object('How to start one framework with the plan.', {
  version: text('The release or commit that option names were checked against.'),
  command: text('For the shell of each host.'),
  files: list(
    'The files that the command reads.',
    z.object({ name: text('As the command calls it.'), text: text('What it says.') }),
  ),
  parallelism: optional(
    'In training: the options that set the layout, apart from those that describe the model.',
    z.string(),
  ),
})

/** All other keys are names of frameworks. */
export const launch = z
  .object({
    commands: optional('By framework. Absent where none can launch the plan.', z.record(z.string(), start)),
    notes: optional('What options cannot say.', z.array(z.string())),
    stepTimeSeconds: optional(
      'The step time in each framework that can launch the plan, where the request names no stack; plans are ranked by the fastest of them.',
      z.record(z.string(), z.number()),
    ),
    requestsPerSecond: optional(
      'What a deployment sustains under each server that can launch it, where the request names no stack; `notes` say which of them miss what is asked.',
      z.record(z.string(), z.number()),
    ),
  })
  .catchall(z.unknown())
