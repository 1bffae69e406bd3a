/** The windows of a training step, on the stage that determines it: forward and backward, with what moves once a step in one of each. */
import { addOnce, backwardCompute, forwardCompute, stageTime } from '../../cost/step/stage-time.ts'
import type { Costing } from './costing.ts'
import type { Window } from './window.ts'

export function trainingWindows(costing: Costing): readonly Window[] {
  const { model, compute, longest, layers, scratch, candidate } = costing
  const { mix } = candidate
  const windows = (times: number): readonly Window[] => [
    { times, computed: forwardCompute(model, compute, longest), traffic: scratch.forward.slice() },
    { times, computed: backwardCompute(model, compute, longest, mix), traffic: scratch.backward.slice() },
  ]
  stageTime(costing, longest, mix, 'expected')
  const usual = windows(layers.microbatches - 1)
  addOnce(costing, longest)
  return [...usual, ...windows(1)]
}
