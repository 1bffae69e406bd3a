/** What a step of inference moves, line by line, and its algorithm, with only the axes that are larger than 1. */

import { busySeconds, operationTime } from '../../cost/communication/operation-time.ts'
import { outerShare, routedLoads, routedSeconds, routedTime } from '../../cost/communication/routing.ts'
import { collectiveTime } from '../../hardware/network/collective.ts'
import {
  type CompiledCollective,
  type CompiledLayout,
  compileLayout,
} from '../../inference/layout/compiled-layout.ts'
import { localValue, setShape, sumOf } from '../../inference/layout/local-term.ts'
import { movesBetween } from '../../inference/model.ts'
import { crossings } from '../../inference/pass/occurrence.ts'
import { setPass } from '../../inference/pass/pass-numbers.ts'
import { axesOf, axisBit, axisSet } from '../../sharding/axis.ts'
import { restricted } from '../../sharding/component.ts'
import { moveNotation } from '../../sharding/move.ts'
import { activeAxes, costSet } from '../account/collectives.ts'
import type { Movement } from '../account/movement.ts'
import type { CollectiveLine } from '../plan.ts'
import type { CostedComponent, InferenceCosting } from './costing.ts'

export function inferenceMovements(costing: InferenceCosting): readonly Movement[] {
  const { components, candidate } = costing
  const head = components.length - 1
  const lines = components.flatMap((component, index) => {
    setPass(costing.model, candidate.pass, index === head)
    return componentLines(costing, component)
  })
  return [...lines, ...streamLines(costing), ...transferLines(costing)]
}

/** As they are costed, call by call; arrays are named by the axes in use, where those have the same moves. */
function componentLines(costing: InferenceCosting, component: CostedComponent): readonly Movement[] {
  const active = axisSet(activeAxes(costing.candidate.mesh))
  const calls = component.layout.collectives
    .map((collective) => ({ ...collective, over: collective.over & active }))
    .filter(({ over }) => over !== 0)
  const short = restrictedLayout(costing, component).collectives.flatMap(({ moves }) => moves)
  const alike = short.length === calls.reduce((sum, { moves }) => sum + moves.length, 0)
  let at = 0
  return calls.flatMap((call) => {
    const moves = alike ? call.moves.map((move) => short[at++] ?? move) : call.moves
    return linesOf({ ...call, moves }, component.busy, costing)
  })
}

/** The layout on the axes in use, so that it reads as in the book. */
export function restrictedLayout(
  { model, candidate }: InferenceCosting,
  { layout }: CostedComponent,
): CompiledLayout {
  const { precision, assumptions } = model.setting
  const component = restricted(layout.component, activeAxes(candidate.mesh))
  return compileLayout({ ...layout, component }, precision, assumptions, 1)
}

export function inferenceAlgorithm(costing: InferenceCosting): readonly string[] {
  return costing.components.flatMap((component) => {
    const { lines } = restrictedLayout(costing, component).derivation
    const text = lines.map((line) => (line.kind === 'move' ? moveNotation(line.move) : line.product.notation))
    return [`${component.name}:`, ...text]
  })
}

/** One call may move several arrays: its time is shared among them by their bytes. */
function linesOf(
  { operation, over, bytes, critical, routed, moves }: CompiledCollective,
  count: number,
  { model, candidate }: InferenceCosting,
): readonly Movement[] {
  const cost = candidate.costs[costSet(over, candidate.costs, candidate.mesh)]
  if (!cost || count === 0) return []
  const whole = sumOf(bytes, model.sizes)
  const { model: transformer } = model.setting
  const { mode, halves } = candidate.pass
  const experts = routed ? transformer.experts : null
  const loads = experts ? routedLoads(cost, outerShare(cost, experts, model.assumed[mode])) : []
  const one = experts ? routedTime(whole, cost, loads) : operationTime(operation, whole, cost)
  const busy = experts ? routedSeconds(whole, cost, loads) : busySeconds(operation, whole, cost)
  return moves.map((move, index): Movement => {
    const term = bytes[index]
    const own = term ? localValue(term, model.sizes) : 0
    const share = (count * own) / whole
    const line: CollectiveLine = {
      op: operation,
      over: axesOf(over).join(' x '),
      array: move.from,
      bytes: own,
      count,
      seconds: one * share,
      exposed: critical && !(routed && halves === 2),
      pass: 'forward',
    }
    return { line, busy: busy.map((part) => part * share) }
  })
}

/** The residual stream on its way from the sharding of one component to that of the next. */
function streamLines(costing: InferenceCosting): readonly Movement[] {
  const { model, candidate, components } = costing
  const head = components.length - 1
  const active = axisSet(activeAxes(candidate.mesh))
  const between = (source: CompiledLayout | undefined, to: number, times: number) => {
    const target = components[to]?.layout
    if (!source || !target) return []
    setPass(model, candidate.pass, to === head)
    return movesBetween(model, source, target)
      .map((move) => ({ ...move, over: move.over & active }))
      .filter(({ over }) => over !== 0)
      .flatMap((move) => linesOf(move, times, costing))
  }
  return [
    ...between(model.embedding, 0, candidate.pass.entryTimes),
    ...crossings(model, candidate.pass).flatMap(({ from, to, times }) =>
      between(components[from]?.layout, to, times),
    ),
  ]
}

function transferLines({ model, candidate }: InferenceCosting): readonly Movement[] {
  const { pass, costs } = candidate
  const cost = costs[axisBit.pipeline]
  if (!cost || pass.transfers === 0) return []
  setShape(model.sizes, pass.shape)
  const bytes = localValue(model.boundary, model.sizes)
  const one = collectiveTime(bytes, cost.permutePerByte, cost.permuteLatency, cost.latencyIsFloor)
  const line: CollectiveLine = {
    op: 'Permute',
    over: 'pipeline',
    array: 'Out',
    bytes,
    count: pass.transfers,
    seconds: one * pass.transfers,
    exposed: true,
    pass: 'forward',
  }
  return [{ line, busy: cost.permuteLoads.map((load) => load * bytes * pass.transfers) }]
}
