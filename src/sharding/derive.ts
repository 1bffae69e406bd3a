/**
 * The products of a component and what it moves, in the forward and backward pass and once a step, derived from its table.
 *
 * The backward einsums are the forward ones transposed: of C = A·B, dA = dC·B and dB = dC·A, with dA sharded as A.
 * The table declares weights as computations use them; the ZeRO stage says how their states are stored.
 */

import { known } from '../known.ts'
import { lasting } from '../recent.ts'
import { type ArrayKind, axesOfArray, relabelled, type ShardedArray, shardedFurther } from './array.ts'
import { type Axis, axes } from './axis.ts'
import { arrayOf, type Component, type Einsum, weightsOf, withArrays } from './component.ts'
import { type Move, reshard } from './move.ts'
import type { Product } from './product.ts'
import { asLines, type Gathered, type Line, runPass, type Step } from './run-pass.ts'
import { sameArray, sameLine } from './same.ts'
import { stateShardings, type ZeroStage } from './states.ts'

export interface Derivation {
  readonly component: Component
  readonly lines: readonly Line[]
}

export interface DeriveOptions {
  readonly zeroStage: ZeroStage
  /** Axes larger than 1; the states of a weight are sharded over no others. */
  readonly active?: readonly Axis[]
  /** Whether activations gathered in the forward pass are dropped and gathered again in the backward pass. */
  readonly regatherActivations: boolean
  /** Names of results that are not kept: their einsums run again before the backward ones. */
  readonly recomputed?: readonly string[]
}

/** Works on symbols only, so what is derived of one table, and of equal ones, is kept and looked up. */
export function derive(component: Component, options: DeriveOptions): Derivation {
  const { zeroStage, active, regatherActivations, recomputed } = options
  const key = `${zeroStage} ${active} ${regatherActivations} ${recomputed}`
  const own = known(ofTables, component, () => ({ text: JSON.stringify(component), by: new Map() }))
  return known(own.by, key, () => known(derivations, `${key} ${own.text}`, () => derived(component, options)))
}

interface OfTable {
  readonly text: string
  readonly by: Map<string, Derivation>
}

const ofTables = new WeakMap<Component, OfTable>()
const derivations = lasting<Derivation>(300)

function derived(component: Component, options: DeriveOptions): Derivation {
  const stored = storedComponent(component, options)
  const lines: Line[] = []
  const gathered: Gathered = new Map()
  runPass('forward', forwardSteps(stored), lines, gathered)
  const kept = [...gathered].filter(([, kind]) => kind === 'activation' && !options.regatherActivations)
  const again = forwardSteps(stored)
    .filter((step) => options.recomputed?.includes(step.out.name))
    .map((step) => ({ ...step, recomputed: true }))
  runPass('backward', [...again, ...backwardSteps(component, stored, options)], lines, new Map(kept))
  lines.push(...updateLines(component, options))
  return { component: stored, lines: lines.map(sameLine) }
}

/** Derives the forward pass alone, with weights where they are declared, as in inference; once for each table. */
export function deriveForward(component: Component): Derivation {
  return known(forwards, component, () => {
    const lines: Line[] = []
    runPass('forward', forwardSteps(component), lines, new Map())
    return { component, lines: lines.map(sameLine) }
  })
}

const forwards = new WeakMap<Component, Derivation>()

export function movesOf(derivation: Derivation): readonly Move[] {
  return derivation.lines.flatMap((line) => (line.kind === 'move' ? [line.move] : []))
}

export function productsOf(derivation: Derivation): readonly Product[] {
  return derivation.lines.flatMap((line) => (line.kind === 'product' ? [line.product] : []))
}

const everyMicrobatch = (): 'microbatch' => 'microbatch'

function forwardSteps(component: Component): readonly Step[] {
  return component.einsums.map((einsum) => ({
    ...operands(component, einsum),
    every: everyMicrobatch,
    kind: einsum.kind,
    ofPartial: einsum.ofPartial,
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

/** Gradients are sharded as the arrays are declared; the other operands as they are stored. */
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

/** A weight's gradient is sharded as its optimizer state, an activation's as the activation. */
function gradient(array: ShardedArray, { zeroStage, active = axes }: DeriveOptions): ShardedArray {
  if (array.kind !== 'weight') return { ...array, name: `d${array.name}`, kind: gradientKinds[array.kind] }
  const { optimizer } = stateShardings[zeroStage]
  return { ...stateOf(array, present(optimizer, active)), name: `d${array.name}`, kind: 'gradient' }
}

/** The gradient of an array moves the opposite way: what is dispatched forwards is combined backwards. */
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

/** A weight whose states are sharded over further axes; those that it is already sharded over, as experts are, are skipped. */
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

/** States are sharded along D, which every weight has but those of experts of a width of their own (M), and which no tensor axis divides. */
function stateLabel(weight: ShardedArray): string {
  const has = (name: string) => weight.dimensions.some(({ label }) => label === name)
  return ['D', 'M'].find(has) ?? weight.dimensions[0]?.label ?? 'D'
}

function storedComponent(component: Component, { zeroStage, active = axes }: DeriveOptions): Component {
  const shards = present(stateShardings[zeroStage].weights, active)
  return withArrays(component, (array) => sameArray(array.kind === 'weight' ? stateOf(array, shards) : array))
}

function present(wanted: readonly Axis[], active: readonly Axis[]): readonly Axis[] {
  return wanted.filter((axis) => active.includes(axis))
}

/** Moves after the optimizer: updated weights go from its sharding back to the one that they are stored in. */
function updateLines(component: Component, { zeroStage, active = axes }: DeriveOptions): readonly Line[] {
  const { weights, optimizer } = stateShardings[zeroStage]
  return weightsOf(component).flatMap((weight) => {
    const updated = stateOf(weight, present(optimizer, active))
    const stored = stateOf(weight, present(weights, active))
    return asLines(reshard(updated, stored, { pass: 'step', every: 'step' }))
  })
}
