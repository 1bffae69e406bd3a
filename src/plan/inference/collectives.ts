/** What an inference step moves, line by line, and its algorithm, with only the axes that are larger than 1. */
import type { CompiledCollective, CompiledLayout } from '../../inference/layout/compiled-layout.ts'
import { setShape } from '../../inference/layout/local-sizes.ts'
import { localValue } from '../../inference/layout/local-term.ts'
import { embeddingBeside, movesBetween } from '../../inference/model.ts'
import { crossings } from '../../inference/pass/courses.ts'
import { setPass } from '../../inference/pass/shape-numbers.ts'
import { activeAxes, axisBit, axisSet } from '../../sharding/axis.ts'
import { restricted } from '../../sharding/component.ts'
import { type Derivation, deriveForward, movesOf } from '../../sharding/derive.ts'
import { moveNotation } from '../../sharding/move.ts'
import { callLines, transferLine } from '../account/call-lines.ts'
import { costSet } from '../account/collectives.ts'
import type { Movement } from '../account/movement.ts'
import type { CostedComponent, InferenceCosting } from './costing.ts'

export function inferenceMovements(costing: InferenceCosting): readonly Movement[] {
  const { components, candidate } = costing
  const head = components.length - 1
  const lines = components.flatMap((component, index) => {
    setPass(costing.bench, candidate.pass, index === head)
    return componentLines(costing, component)
  })
  return [...lines, ...streamLines(costing), ...transferLines(costing)]
}

/** Calls as they were costed. Arrays are named by the layout on the axes in use, if that has the same number of moves. */
function componentLines(costing: InferenceCosting, component: CostedComponent): readonly Movement[] {
  const active = axisSet(activeAxes(costing.candidate.mesh))
  const calls = component.layout.collectives
    .map((collective) => ({ ...collective, over: collective.over & active }))
    .filter(({ over }) => over !== 0)
  const short = movesOf(shortDerivation(costing, component))
  const alike = short.length === calls.reduce((sum, { moves }) => sum + moves.length, 0)
  let at = 0
  return calls.flatMap((call) => {
    const moves = alike ? call.moves.map((move) => short[at++] ?? move) : call.moves
    return linesOf({ ...call, moves }, component.busy, costing)
  })
}

/** What a component moves and computes with only the axes in use, so that it reads as in the book. */
export function shortDerivation({ candidate }: InferenceCosting, { layout }: CostedComponent): Derivation {
  return deriveForward(restricted(layout.component, activeAxes(candidate.mesh)))
}

export function inferenceAlgorithm(costing: InferenceCosting): readonly string[] {
  return costing.components.flatMap((component) => {
    const { lines } = shortDerivation(costing, component)
    const text = lines.map((line) => (line.kind === 'move' ? moveNotation(line.move) : line.product.notation))
    return [`${component.name}:`, ...text]
  })
}

function linesOf(
  call: CompiledCollective,
  count: number,
  { bench, candidate }: InferenceCosting,
): readonly Movement[] {
  const { over, bytes, critical, routed, moves } = call
  const cost = candidate.costs[costSet(over, candidate.costs, candidate.mesh)]
  if (!cost) return []
  const { mode, halves } = candidate.pass
  const told = {
    ...({ count, over, pass: 'forward', exposed: critical && !(routed && halves === 2) } as const),
    bytes: bytes.map((term) => localValue(term, bench.sizes)),
    arrays: moves.map(({ from }) => from),
  }
  const { experts } = bench.setting.model
  return callLines(call, told, { cost, assumptions: bench.assumed[mode], experts })
}

/** Moves of the residual stream from the sharding of one component to that of the next. */
function streamLines(costing: InferenceCosting): readonly Movement[] {
  const { bench, candidate, course, components } = costing
  const head = components.length - 1
  const active = axisSet(activeAxes(candidate.mesh))
  const between = (source: CompiledLayout | undefined, to: number, times: number) => {
    const target = components[to]?.layout
    if (!source || !target) return []
    setPass(bench, candidate.pass, to === head)
    return movesBetween(bench, source, target)
      .map((move) => ({ ...move, over: move.over & active }))
      .filter(({ over }) => over !== 0)
      .flatMap((move) => linesOf(move, times, costing))
  }
  return [
    ...between(embeddingBeside(bench, components[0]?.layout), 0, course.entries),
    ...crossings(bench, course).flatMap(({ from, to, times }) =>
      between(components[from]?.layout, to, times),
    ),
  ]
}

function transferLines({ bench, candidate }: InferenceCosting): readonly Movement[] {
  const { pass, costs } = candidate
  const cost = costs[axisBit.pipeline]
  if (!cost || pass.transfers === 0) return []
  setShape(bench.sizes, pass.shape)
  const bytes = localValue(bench.boundary, bench.sizes)
  const told = {
    op: 'Permute',
    array: 'Out',
    bytes,
    count: pass.transfers,
    exposed: true,
    pass: 'forward',
  } as const
  return [transferLine(told, cost)]
}
