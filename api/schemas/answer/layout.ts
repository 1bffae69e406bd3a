/** Where a plan puts its axes and its arrays. */
import { z } from 'zod'
import { flag, list, optional, record, text, texts, whole } from '../field.ts'
import { axisName } from '../given/axis.ts'

export const placement = z.object({
  axis: axisName.describe('The mesh axis that is placed.'),
  on: text(
    'The network that carries it: `ici`, `dcn`, or behind switches the outermost tier that a group spans.',
  ),
  physical: list(
    'On a torus, the indices of the physical axes that carry it; behind switches, the tiers that a group spans, 0 for the innermost.',
    z.int(),
  ),
  wraps: flag('Whether its chips form closed rings (wrap-around links).'),
  parts: optional(
    'Only on a torus: the part of each physical axis that belongs to one group.',
    z.array(
      z.object({
        physical: whole('Index of the physical axis.'),
        size: whole('Chips of this physical axis in one group.'),
        stride: whole('Distance between neighbours of a group, in chips.'),
      }),
    ),
  ),
})

export const layout = z.object({
  components: record('The layout of each component of a layer, by its name.', z.string()),
  shardings: record(
    'The sharding of each array, by its name: `[B_X, D_Y]` has its sequences sharded over mesh axis X and its dimension D over Y.',
    z.string(),
  ),
  algorithm: texts("The steps of the layer's computation and communication, one per line."),
})
