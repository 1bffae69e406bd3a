/** What binds a plan, and how much slack there is before something else does. */
import { z } from 'zod'
import { flag, number, numberOrNull, object, orNull, text } from '../field.ts'
import { axisName } from '../given/axis.ts'

export const binding = {
  bottleneck: text(
    'What takes the most of the step: `compute`, `hbm`, `communication`, `pipelineBubble`, `overhead` or `optimizer`.',
  ),
  bottleneckDetail: orNull(
    'Where the bottleneck is communication: the busiest network, and the mesh axis that keeps it busy. Otherwise null.',
    z.object({
      axis: axisName.nullable().describe('The mesh axis; null where the traffic belongs to no single axis.'),
      network: text(
        'Name of the network on this machine: `ici`, `dcn`, a tier of switches, or `host`, the link to the host.',
      ),
    }),
  ),
  headroom: object('How much slack there is before another resource becomes the bottleneck.', {
    communication: numberOrNull(
      'Time of all kernels divided by the time that the busiest network is in use; below 1 communication could not be hidden completely. Null where nothing is communicated.',
    ),
    memory: number('The memory budget divided by the bytes on the fullest chip.'),
    atHalfBandwidth: orNull(
      'This plan if its busiest network had half its bandwidth; null where nothing is communicated.',
      z.object({
        network: text('Name of the busiest network.'),
        stepTimeSeconds: number('Step time with half of that bandwidth.'),
      }),
    ),
    robustness: object('The same plan if networks are slower, and it takes more memory, than predicted.', {
      networks: number('Assumed fraction of the bandwidth of every network.'),
      stepTimeSeconds: number('Step time with these networks.'),
      memory: number('Assumed factor on the memory of the fullest chip.'),
      fits: flag('Whether the plan fits with that much memory.'),
    }),
  }),
}
