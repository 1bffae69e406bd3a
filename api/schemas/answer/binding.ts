/** What binds a plan, and how much slack there is before something else does. */
import { z } from 'zod'
import { flag, number, numberOrNull, object, orNull, text } from '../field.ts'
import { axisName } from '../given/axis.ts'

export const binding = {
  bottleneck: text(
    'What most of the step could not be shortened without: `compute`, `hbm`, `communication`, `pipelineBubble`, `overhead` or `optimizer`. Kernels and the network meet in windows (the forward and the backward pass of a microbatch; a component, in inference). A window in which the network takes longer than the kernels counts whole for `communication`; in the others, kernels count for themselves and what is waited for counts for `communication`.',
  ),
  bottleneckDetail: orNull(
    'Where the bottleneck is communication: the network that takes longest in the windows that it binds (the busiest, if none is bound), and the mesh axis that keeps it busy. Otherwise null.',
    z.object({
      axis: axisName.nullable().describe('The mesh axis; null where the traffic belongs to no single axis.'),
      network: text(
        'Name of the network on this machine: `ici`, `dcn`, a tier of switches, or `host`, the link to the host.',
      ),
    }),
  ),
  headroom: object('How much slack there is before another resource becomes the bottleneck.', {
    communication: numberOrNull(
      'How many times slower networks could be before one of them takes longer than the kernels of its window, whichever window is first: below 1, communication could not be hidden completely. Null where nothing moves beside kernels.',
    ),
    memory: number('The memory budget divided by the bytes on the fullest chip.'),
    atHalfBandwidth: orNull(
      'This plan with half the bandwidth of one network: of that which takes longest in the windows that it binds or, where none is bound, of the busiest. Null where nothing is communicated.',
      z.object({
        network: text('Name of that network.'),
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
