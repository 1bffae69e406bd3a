/**
 * One pass over the einsums of a component: operands are gathered first, each over the same axes only once, and sums into one array are
 * reduced after the last of them, those over the same axes together.
 */
import {
  type ArrayKind,
  arrayNotation,
  axesOfArray,
  type ShardedArray,
  withDimensions,
  without,
} from './array.ts'
import { type Axis, axisSet } from './axis.ts'
import { localProduct } from './einsum.ts'
import { allGather, allReduce, type Move, type Pass, reduceScatter, reshard } from './move.ts'
import { type Produced, type Product, product } from './product.ts'

export type Line =
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'product'; readonly product: Product }

/** One einsum of a pass, with the declared sharding of its result; the gradient of A is named dA. */
export interface Step extends Produced {
  readonly left: ShardedArray
  readonly right: ShardedArray
  /** Whether its partial sum is reduced over an axis in every microbatch or once a step. */
  readonly every: (axis: Axis) => 'microbatch' | 'step'
  /** Whether the left operand may be a partial sum, which the result then is as well. */
  readonly ofPartial?: boolean | undefined
}

/** What is already gathered, keyed by its notation, so that it is not gathered again. */
export type Gathered = Map<string, ArrayKind>

/** Runs a pass, adding to `lines` and to what is gathered. */
export function runPass(pass: Pass, steps: readonly Step[], lines: Line[], gathered: Gathered): void {
  const lastInto = new Map(steps.map((step, index) => [step.out.name, index]))
  const handedOn = new Set(steps.flatMap(({ ofPartial, left }) => (ofPartial ? [left.name] : [])))
  const partialSums = new Map<string, readonly (readonly Axis[])[]>()
  steps.forEach((step, index) => {
    if (step.kind === 'reshard') {
      lines.push(...asLines(reshard(sentAs(step.left, step.out), step.out, { pass, every: 'microbatch' })))
      return
    }
    const local = localProduct(step.out, step.left, step.right)
    const left = gather(step.left, local.gatherLeft)
    const right = gather(step.right, local.gatherRight)
    lines.push({ kind: 'product', product: product(pass, step, left, right, local) })
    const carried = step.ofPartial ? (partialSums.get(step.left.name) ?? []).flat() : []
    const sums = withSum(partialSums.get(step.out.name) ?? [], [...local.unreduced, ...carried])
    partialSums.set(step.out.name, sums)
    if (lastInto.get(step.out.name) === index && !handedOn.has(step.out.name))
      lines.push(...sums.flatMap((over) => reductions(pass, step, over)))
  })

  function gather(operand: ShardedArray, over: readonly Axis[]): ShardedArray {
    if (over.length === 0) return operand
    const after = without(operand, over)
    const key = arrayNotation(after)
    if (!gathered.has(key)) {
      lines.push({ kind: 'move', move: allGather(operand, over, { pass, every: 'microbatch' }) })
      gathered.set(key, operand.kind)
    }
    return after
  }
}

function withSum(sums: readonly (readonly Axis[])[], added: readonly Axis[]): readonly (readonly Axis[])[] {
  const known = added.length === 0 || sums.some((over) => axisSet(over) === axisSet(added))
  return known ? sums : [...sums, added]
}

/** Gradients of a token's copies are summed where its experts are: as many elements go back as came. */
function sentAs(array: ShardedArray, { kind, dimensions }: ShardedArray): ShardedArray {
  if (kind !== 'dispatch' && kind !== 'combine') return array
  const extentOf = (label: string) => dimensions.find((dimension) => dimension.label === label)?.extent
  return withDimensions({ ...array, kind }, (dimension) => ({
    ...dimension,
    extent: extentOf(dimension.label) ?? dimension.extent,
  }))
}

function reductions(pass: Pass, step: Step, sums: readonly Axis[]): readonly Line[] {
  const declared = axesOfArray(step.out)
  const scattered = declared.filter((axis) => sums.includes(axis))
  const reduced = sums.filter((axis) => !declared.includes(axis))
  const moves: Move[] = []
  const first = scattered[0]
  if (first) moves.push(reduceScatter(step.out, scattered, { pass, every: step.every(first) }))
  const next = reduced[0]
  if (next) moves.push(allReduce(step.out, reduced, { pass, every: step.every(next) }))
  return asLines(moves)
}

export function asLines(moves: readonly Move[]): readonly Line[] {
  return moves.map((move) => ({ kind: 'move', move }))
}
