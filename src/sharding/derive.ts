/**
 * The communication and the products of a component, forwards, backwards and once a step, derived from its table.
 *
 * The backward einsums are the forward ones transposed: of C = A·B, dA = dC·B and dB = dC·A, with dA sharded as A.
 * An array gathered over the same axes is gathered once per pass, and sums into one array are reduced once, after
 * the last of them. Weights are declared as computed with; how their states are stored is the ZeRO stage's.
 */

import { recent } from '../recent.ts'
import {
  type ArrayKind,
  arrayNotation,
  axesOfArray,
  relabelled,
  type ShardedArray,
  shardedFurther,
  without,
} from './array.ts'
import { type Axis, axes } from './axis.ts'
import { arrayOf, type Component, type Einsum } from './component.ts'
import { localProduct } from './einsum.ts'
import { allGather, allReduce, type Move, type Pass, reduceScatter, reshard } from './move.ts'
import { type Produced, type Product, product } from './product.ts'
import { stateShardings, type ZeroStage } from './states.ts'

export type Line =
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'product'; readonly product: Product }

export interface Derivation {
  readonly component: Component
  readonly lines: readonly Line[]
}

export interface DeriveOptions {
  readonly zeroStage: ZeroStage
  /** Axes larger than 1; the states of a weight are sharded over no others. */
  readonly active?: readonly Axis[]
  /** Activations gathered in the forward pass are dropped and gathered again. */
  readonly regatherActivations: boolean
  /** Results that were not kept: their einsums run again before the backward ones. */
  readonly recomputed?: readonly string[]
}

/** Symbols alone: what is derived of equal tables stays known. */
export function derive(component: Component, options: DeriveOptions): Derivation {
  const { zeroStage, active, regatherActivations, recomputed } = options
  const text = texts.get(component) ?? JSON.stringify(component)
  texts.set(component, text)
  const key = `${zeroStage} ${active} ${regatherActivations} ${recomputed} ${text}`
  const found = derivations.get(key) ?? derived(component, options)
  derivations.set(key, found)
  return found
}

const texts = new WeakMap<Component, string>()
const derivations = recent<Derivation>(1000)

function derived(component: Component, options: DeriveOptions): Derivation {
  const stored = storedComponent(component, options)
  const lines: Line[] = []
  const forwardGathers = runPass('forward', forwardSteps(stored), lines, new Set())
  const kept = options.regatherActivations ? new Set<string>() : activationsOf(stored, forwardGathers)
  const again = forwardSteps(stored)
    .filter((step) => options.recomputed?.includes(step.out.name))
    .map((step) => ({ ...step, recomputed: true }))
  runPass('backward', [...again, ...backwardSteps(component, stored, options)], lines, kept)
  lines.push(...updateLines(component, options))
  return { component: stored, lines }
}

/** The forward pass alone, of weights that lie as they are declared: inference. */
export function deriveForward(component: Component): Derivation {
  const lines: Line[] = []
  runPass('forward', forwardSteps(component), lines, new Set())
  return { component, lines }
}

export function movesOf(derivation: Derivation): readonly Move[] {
  return derivation.lines.flatMap((line) => (line.kind === 'move' ? [line.move] : []))
}

export function productsOf(derivation: Derivation): readonly Product[] {
  return derivation.lines.flatMap((line) => (line.kind === 'product' ? [line.product] : []))
}

/** One einsum of a pass, with the result's declared sharding; gradients are named dA. */
interface Step extends Produced {
  readonly left: ShardedArray
  readonly right: ShardedArray
  /** Where a partial sum of it goes: every microbatch or once a step, over these axes. */
  readonly every: (axis: Axis) => 'microbatch' | 'step'
}

const everyMicrobatch = (): 'microbatch' => 'microbatch'

function forwardSteps(component: Component): readonly Step[] {
  return component.einsums.map((einsum) => ({
    ...operands(component, einsum),
    every: everyMicrobatch,
    kind: einsum.kind,
  }))
}

function operands(component: Component, einsum: Einsum): Pick<Step, 'out' | 'left' | 'right'> {
  const right = arrayOf(component, einsum.right)
  return {
    out: arrayOf(component, einsum.out),
    left: arrayOf(component, einsum.left),
    right: einsum.keys ? relabelled(right, 'T', 'S') : right,
  }
}

/** Gradients are those of the arrays as declared; the other operands lie as they are stored. */
function backwardSteps(declared: Component, stored: Component, options: DeriveOptions): readonly Step[] {
  return [...stored.einsums].reverse().flatMap((einsum) => {
    const { out, left, right } = operands(stored, einsum)
    const dOut = gradient(out, options)
    const wrt = (name: string, operand: ShardedArray, other: ShardedArray): Step => ({
      out: gradient(operand.kind === 'weight' ? arrayOf(declared, name) : operand, options),
      left: dOut,
      right: other,
      kind: einsum.kind,
      every: operand.kind === 'weight' ? reductionOf(options) : everyMicrobatch,
    })
    if (einsum.kind === 'lookup') return [wrt(einsum.right, right, left)]
    if (einsum.kind === 'route' || einsum.kind === 'reshard') return [wrt(einsum.left, left, right)]
    return [wrt(einsum.left, left, right), wrt(einsum.right, right, left)]
  })
}

/** A weight's gradient is sharded as its optimizer; an activation's as the activation. */
function gradient(array: ShardedArray, { zeroStage, active = axes }: DeriveOptions): ShardedArray {
  if (array.kind !== 'weight') return { ...array, name: `d${array.name}`, kind: gradientKinds[array.kind] }
  const { optimizer } = stateShardings[zeroStage]
  return { ...stateOf(array, present(optimizer, active)), name: `d${array.name}`, kind: 'gradient' }
}

/** Gradients go the way of what they are of, back. */
const gradientKinds: Readonly<Record<ArrayKind, ArrayKind>> = {
  weight: 'gradient',
  gradient: 'gradient',
  activation: 'activation',
  passed: 'passed',
  dispatch: 'combine',
  combine: 'dispatch',
  cache: 'cache',
  scores: 'scores',
}

/** A weight with its states sharded further, over axes that it does not have: experts have theirs. */
function stateOf(weight: ShardedArray, wanted: readonly Axis[]): ShardedArray {
  const own = axesOfArray(weight)
  return shardedFurther(
    weight,
    stateLabel(weight),
    wanted.filter((axis) => !own.includes(axis)),
  )
}

function reductionOf({ zeroStage }: DeriveOptions): (axis: Axis) => 'microbatch' | 'step' {
  const { gradients, reduced } = stateShardings[zeroStage]
  return (axis) => (gradients.includes(axis) ? reduced : 'step')
}

/** States are sharded along D, which every weight has and no tensor axis divides. */
function stateLabel(weight: ShardedArray): string {
  return weight.dimensions.some(({ label }) => label === 'D') ? 'D' : (weight.dimensions[0]?.label ?? 'D')
}

function storedComponent(component: Component, { zeroStage, active = axes }: DeriveOptions): Component {
  const shards = present(stateShardings[zeroStage].weights, active)
  const arrays = Object.entries(component.arrays).map(([name, array]) => {
    const stored = array.kind === 'weight' ? stateOf(array, shards) : array
    return [name, stored] as const
  })
  return { ...component, arrays: Object.fromEntries(arrays) }
}

function present(wanted: readonly Axis[], active: readonly Axis[]): readonly Axis[] {
  return wanted.filter((axis) => active.includes(axis))
}

/** After the optimizer: weights go from its sharding back to the one they are stored in. */
function updateLines(component: Component, { zeroStage, active = axes }: DeriveOptions): readonly Line[] {
  const { weights, optimizer } = stateShardings[zeroStage]
  return Object.values(component.arrays)
    .filter((array) => array.kind === 'weight')
    .flatMap((weight) => {
      const updated = stateOf(weight, present(optimizer, active))
      const stored = stateOf(weight, present(weights, active))
      return reshard(updated, stored, { pass: 'step', every: 'step' })
    })
    .map((move) => ({ kind: 'move', move }) as const)
}

function runPass(pass: Pass, steps: readonly Step[], lines: Line[], gathered: Set<string>): Set<string> {
  const lastInto = new Map(steps.map((step, index) => [step.out.name, index]))
  const partialSums = new Map<string, readonly Axis[]>()
  steps.forEach((step, index) => {
    if (step.kind === 'reshard') {
      const moves = reshard(sentAs(step.left, step.out), step.out, { pass, every: 'microbatch' })
      lines.push(...moves.map((move) => ({ kind: 'move', move }) as const))
      return
    }
    const local = localProduct(step.out, step.left, step.right)
    const left = gather(step.left, local.gatherLeft)
    const right = gather(step.right, local.gatherRight)
    lines.push({ kind: 'product', product: product(pass, step, left, right, local) })
    const sums = [...new Set([...(partialSums.get(step.out.name) ?? []), ...local.unreduced])]
    partialSums.set(step.out.name, sums)
    if (lastInto.get(step.out.name) === index) lines.push(...reductions(pass, step, sums))
  })
  return gathered

  function gather(operand: ShardedArray, over: readonly Axis[]): ShardedArray {
    if (over.length === 0) return operand
    const after = without(operand, over)
    const key = arrayNotation(after)
    if (!gathered.has(key)) {
      lines.push({ kind: 'move', move: allGather(operand, over, { pass, every: 'microbatch' }) })
      gathered.add(key)
    }
    return after
  }
}

/** Gradients of a token's copies are summed where its experts are: what goes back is what came. */
function sentAs(array: ShardedArray, { kind, dimensions }: ShardedArray): ShardedArray {
  if (kind !== 'dispatch' && kind !== 'combine') return array
  const extentOf = (label: string) => dimensions.find((dimension) => dimension.label === label)?.extent
  return {
    ...array,
    kind,
    dimensions: array.dimensions.map((dimension) => ({
      ...dimension,
      extent: extentOf(dimension.label) ?? dimension.extent,
    })),
  }
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
  return moves.map((move) => ({ kind: 'move', move }))
}

function activationsOf(component: Component, gathered: ReadonlySet<string>): Set<string> {
  const activations = Object.values(component.arrays).filter((array) => array.kind === 'activation')
  return new Set([...gathered].filter((key) => activations.some(({ name }) => key.startsWith(`${name}[`))))
}
