/**
 * The windows of an inference step: each component, beside its own collectives. What goes between components whose layouts differ, between
 * stages, and to experts while another half of the batch computes, is in none of them.
 */
import { setPass } from '../../inference/pass/shape-numbers.ts'
import { moveTraffic, waitedMoves } from '../../inference/time/component-time.ts'
import type { Window } from '../account/window.ts'
import type { InferenceCosting } from './costing.ts'

export function inferenceWindows({
  bench,
  candidate,
  components,
  given,
}: InferenceCosting): readonly Window[] {
  const { costs, pass } = candidate
  const head = components.length - 1
  return components.map(({ busy, layout, time }, index) => {
    setPass(bench, pass, index === head)
    const traffic = moveTraffic(waitedMoves(layout, pass.halves), costs, given).slice()
    return { times: busy, computed: time.compute, traffic }
  })
}
