/** What kernels between the matmuls of a component of inference stream. */
import { type Streamed, streamsRead } from '../../model/residual-streams.ts'
import { type ShardedArray, without } from '../../sharding/array.ts'
import { type Axis, matrixAxes } from '../../sharding/axis.ts'
import { arraysOf, type Component } from '../../sharding/component.ts'
import { type ArrayRole, isStream } from '../../sharding/roles.ts'
import type { LocalTerm } from './local-term.ts'

/**
 * Elementwise work in elements: each block norms its input and adds its output (4 D, and more where streams are beside each other), copies are sorted; the rest as in
 * cost/compute/elementwise.ts. With `apart`, results are summed onto every tensor chip, which then norms and adds the whole stream, but for
 * the axes of `apart`, whose chips have sequences of their own; without it, each chip has its part of the stream.
 */
export function elementwise(
  component: Component,
  bytes: (array: ShardedArray, times: number) => LocalTerm,
  apart: readonly Axis[] | null,
  model: Streamed,
): readonly LocalTerm[] {
  const { before, after } = streamsRead(model)
  const unlessGated = (gate: ArrayRole) => (arraysOf(component, gate).length > 0 ? 1 : 2)
  const times: Readonly<Partial<Record<ArrayRole, number>>> = {
    ...{ input: 2 + before, output: after },
    ...{ gate: 1, inner: unlessGated('gate') },
    ...{ sharedGate: 1, sharedInner: unlessGated('sharedGate') },
    ...{ copies: 4, queries: 2, keys: 2, scanned: 1 },
  }
  return (Object.entries(times) as readonly [ArrayRole, number][]).flatMap(([role, count]) =>
    arraysOf(component, role).map((array) =>
      bytes(apart && isStream(role) ? wholeBut(array, apart) : array, count),
    ),
  )
}

function wholeBut(array: ShardedArray, apart: readonly Axis[]): ShardedArray {
  return without(
    array,
    matrixAxes.filter((axis) => !apart.includes(axis)),
  )
}
