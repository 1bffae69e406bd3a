/** How sizes are put in where a test asks neither for padding nor for how tokens go to experts: once to each device. */
import type { Rounding } from '../src/cost/compile/term.ts'

export const freely: Rounding = {
  tokensDivideFreely: true,
  hierarchicalDispatch: true,
  choicesApart: false,
  expertTensor: 'sliced',
  expertBufferFactor: 1,
}

export const padded: Rounding = { ...freely, tokensDivideFreely: false }
