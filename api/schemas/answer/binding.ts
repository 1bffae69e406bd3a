/** What binds a plan, and how much slack there is before something else does. */
import { z } from 'zod'
import { axisName } from '../given/axis.ts'

const seconds = z.number()

export const binding = {
  bottleneck: z
    .string()
    .describe(
      'What takes the most of the step: `compute`, `hbm`, `communication`, `pipelineBubble`, `overhead` or `optimizer`.',
    ),
  bottleneckDetail: z
    .object({
      axis: axisName.nullable().describe('The mesh axis; null where the traffic belongs to no single axis.'),
      network: z
        .string()
        .describe(
          'Name of the network on this machine: `ici`, `dcn`, a tier of switches, or `host`, the link to the host.',
        ),
    })
    .nullable()
    .describe(
      'Where the bottleneck is communication: the busiest network, and the mesh axis that keeps it busy. Otherwise null.',
    ),
  headroom: z
    .object({
      communication: z
        .number()
        .nullable()
        .describe(
          'Time of all kernels divided by the time that the busiest network is in use; below 1 communication could not be hidden completely. Null where nothing is communicated.',
        ),
      memory: z.number().describe('The memory budget divided by the bytes on the fullest chip.'),
      atHalfBandwidth: z
        .object({
          network: z.string().describe('Name of the busiest network.'),
          stepTimeSeconds: seconds.describe('Step time with half of that bandwidth.'),
        })
        .nullable()
        .describe(
          'This plan if its busiest network had half its bandwidth; null where nothing is communicated.',
        ),
      robustness: z
        .object({
          networks: z.number().describe('Assumed fraction of the bandwidth of every network.'),
          stepTimeSeconds: seconds.describe('Step time with these networks.'),
          memory: z.number().describe('Assumed factor on the memory of the fullest chip.'),
          fits: z.boolean().describe('Whether the plan fits with that much memory.'),
        })
        .describe('The same plan if networks are slower, and it takes more memory, than predicted.'),
    })
    .describe('How much slack there is before another resource becomes the bottleneck.'),
}
