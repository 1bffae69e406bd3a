/**
 * Runs a derivation: its lines one after another on a tiny mesh of chips with real arrays, beside the same component on
 * one chip. A line finds arrays by the names that it prints, so that what is printed is what runs.
 */
import { arrayNotation, axesOfArray, type ShardedArray } from '../../../src/sharding/array.ts'
import { type Axis, axisBit } from '../../../src/sharding/axis.ts'
import { arrayOf, type Component, type Einsum } from '../../../src/sharding/component.ts'
import { type DeriveOptions, derive } from '../../../src/sharding/derive.ts'
import type { Monomial } from '../../../src/sharding/monomial.ts'
import type { Move } from '../../../src/sharding/move.ts'
import type { Product } from '../../../src/sharding/product.ts'
import { denseTraining, labelsIn, outputs, ownLabels, results } from './dense-training.ts'
import { canonical, nameOf, shardedAsPrinted } from './printed-array.ts'
import {
  added,
  gathered,
  heldEntries,
  multiplied,
  type SimulatedMesh,
  type Spread,
  simulatedMesh,
  sliced,
  spread,
  summed,
  type Tensor,
} from './simulated-mesh.ts'

/** What the algebra says of a line, and what the chips did. */
export interface Comparison {
  readonly line: string
  readonly what: 'elements moved' | 'flops' | 'operand' | 'result'
  readonly said: number
  readonly done: number
}

/** An array when its pass is over, and what it should be. */
export interface Outcome {
  readonly name: string
  readonly is: Spread
  readonly should: Spread
}

export interface Run {
  readonly comparisons: readonly Comparison[]
  readonly outcomes: readonly Outcome[]
}

export function run(
  component: Component,
  options: DeriveOptions & { readonly active: readonly Axis[] },
): Run {
  const derivation = derive(component, options)
  const stored = derivation.component
  const mesh = simulatedMesh(options.active, Object.values(component.arrays).map(withStates))
  const whole = denseTraining(mesh, component)
  const comparisons: Comparison[] = []
  const outcomes: Outcome[] = []
  const arrays = new Map<string, Spread>()
  const sums = new Map<string, { readonly parts: Spread; readonly sharding: ShardedArray }>()
  const copies: { readonly key: string; readonly name: string }[] = []

  const dense = (name: string): Tensor => whole.get(name) ?? fail(`${name} is no array of ${component.name}`)
  const read = (notation: string): Spread =>
    arrays.get(canonical(notation)) ??
    arrays.get(sourceOf(stored, canonical(notation))) ??
    fail(`${notation} is read before it is there`)
  const put = (array: ShardedArray) =>
    arrays.set(canonical(arrayNotation(array)), spread(mesh, dense(array.name), array))
  const baseOf = (name: string) => arrayOf(stored, stored.arrays[name] ? name : name.slice(1))
  const compare = (line: string, what: Comparison['what'], said: Monomial, done: number) =>
    comparisons.push({ line, what, said: monomialValue(mesh, stored, said), done })

  for (const array of Object.values(stored.arrays)) {
    if (!results(stored).has(array.name)) put(array)
  }
  for (const name of outputs(stored)) put({ ...arrayOf(stored, name), name: `d${name}` })

  let pass: Move['pass'] = 'forward'
  for (const line of derivation.lines) {
    const next = line.kind === 'move' ? line.move.pass : line.product.pass
    if (next !== pass) endPass()
    pass = next
    if (line.kind === 'product') multiply(line.product)
    else if (line.move.operation === 'AllGather') gather(line.move)
    else if (line.move.operation === 'AllToAll') exchange(line.move)
    else reduce(line.move)
  }
  endPass()
  for (const weight of Object.values(stored.arrays).filter(({ kind }) => kind === 'weight')) {
    outcomes.push({
      name: weight.name,
      is: read(arrayNotation(weight)),
      should: spread(mesh, dense(weight.name), weight),
    })
  }
  return { comparisons, outcomes }

  /** Partial sums are final now; gathered weights, and what is regathered or recomputed, are dropped. */
  function endPass(): void {
    for (const [key, { parts, sharding }] of sums) {
      const name = key.replace(partial, '')
      if (name === key && sums.has(name + partial)) continue
      const is = name === key ? parts : added(sums.get(name)?.parts, parts)
      outcomes.push({ name, is, should: spread(mesh, dense(name), sharding) })
    }
    sums.clear()
    if (pass !== 'forward') return
    for (const { key, name } of copies) {
      if (options.regatherActivations || baseOf(name).kind === 'weight') arrays.delete(key)
    }
    for (const name of options.recomputed ?? []) {
      arrays.delete(canonical(arrayNotation(arrayOf(stored, name))))
    }
  }

  function multiply(product: Product): void {
    const [result = '', left = '', right = ''] = product.notation.split(/ = | \* /)
    const bases = [result, left, right].map((notation) => baseOf(nameOf(notation)))
    const einsum = einsumOf(stored, bases)
    const [out = [], a = [], b = []] = bases.map(({ name }) => labelsIn(stored, einsum, name))
    const operands = [
      { ...read(left), labels: a },
      { ...read(right), labels: b },
    ] as const
    const local = multiplied(mesh, out, ...operands)
    const [base] = bases as [ShardedArray]
    const name = nameOf(result)
    const key = result.includes('{') ? name + partial : name
    const parts = added(sums.get(key)?.parts, { ...local.result, labels: ownLabels(stored, base.name) })
    sums.set(key, { parts: asDeclared(parts), sharding: shardedAsPrinted(base, result) })
    if (!result.includes('{')) {
      arrays.set(canonical(result), asDeclared(parts))
      // Where no sum is left to reduce, what is declared of it is a free slice.
      if (base.kind !== 'weight') {
        arrays.set(canonical(arrayNotation({ ...base, name })), sliced(mesh, asDeclared(parts), base))
      }
    }
    compare(product.notation, 'flops', product.flops, 2 * Math.max(...local.multiplyAdds))
    const seen = [...operands, local.result].filter((_, at) => bases[(at + 1) % 3]?.kind !== 'scores')
    seen.forEach((spreadOut, at) => {
      const said = product.operands[at]?.elements
      const what = spreadOut === local.result ? 'result' : 'operand'
      if (said) compare(product.notation, what, said, heldEntries(spreadOut, 0))
    })

    function asDeclared(whatIs: Spread): Spread {
      return sliced(mesh, whatIs, shardedAsPrinted(base, result))
    }
  }

  function gather(move: Move): void {
    if (move.pass === 'step') update(move)
    const after = gathered(mesh, read(move.from), move.over)
    arrays.set(canonical(move.to), after)
    copies.push({ key: canonical(move.to), name: move.array })
    compare(move.to, 'elements moved', move.elements, heldEntries(after, 0))
  }

  function reduce(move: Move): void {
    const key = move.array + partial
    const before = sums.get(key)?.parts ?? fail(`${move.array} has no partial sum`)
    const sharding = shardedAsPrinted(baseOf(move.array), move.to)
    const parts = sliced(mesh, summed(mesh, before, move.over), sharding)
    compare(move.to, 'elements moved', move.elements, heldEntries(before, 0))
    sums.set(key, { parts, sharding })
    // What is not partial is whole where it is: experts hand back tokens, and those that all visit a sum over tensor.
    arrays.set(canonical(move.to), added(sums.get(move.array)?.parts, parts))
  }

  /** An axis goes from one dimension to another. */
  function exchange(move: Move): void {
    const whole = gathered(mesh, read(move.from), move.over)
    const name = nameOf(move.to)
    const sharding = shardedAsPrinted(baseOf(name), move.to)
    const is = sliced(mesh, whole, sharding)
    arrays.set(canonical(move.to), is)
    outcomes.push({ name, is, should: spread(mesh, dense(name), sharding) })
    compare(move.to, 'elements moved', move.elements, heldEntries(whole, 0))
  }

  /** After the optimizer, whose arithmetic is left out: the weight, where its gradient is. */
  function update(move: Move): void {
    read(`d${move.from}`)
    const updated = shardedAsPrinted(baseOf(move.array), move.from)
    arrays.set(canonical(move.from), spread(mesh, dense(move.array), updated))
  }
}

function fail(message: string): never {
  throw new Error(message)
}

/** Marks a sum that is still to be reduced, beside what is added to the same array whole. */
const partial = '{U}'

/** Where nothing moves, an array in another sharding is the array that it is made of. */
function sourceOf({ einsums }: Component, key: string): string {
  const name = nameOf(key)
  const forwards = einsums.find(({ kind, out }) => kind === 'reshard' && out === name)
  const backwards = einsums.find(({ kind, left }) => kind === 'reshard' && `d${left}` === name)
  return `${forwards?.left ?? `d${backwards?.out}`}${key.slice(name.length)}`
}

/** States may be sharded along D, or what a weight without it has first, over more axes than it is computed with. */
function withStates(array: ShardedArray): ShardedArray {
  if (array.kind !== 'weight') return array
  const own = axesOfArray(array)
  const further = (['data', 'fsdp', 'context', 'expert'] as const).filter((axis) => !own.includes(axis))
  const along = array.dimensions.find(({ label }) => label === 'D') ?? array.dimensions[0]
  const dimensions = array.dimensions.map((dimension) =>
    dimension === along ? { ...dimension, axes: [...dimension.axes, ...further] } : dimension,
  )
  return { ...array, dimensions }
}

function einsumOf({ einsums }: Component, bases: readonly ShardedArray[]): Einsum {
  const wanted = bases.map(({ name }) => name).sort()
  const found = einsums.find(({ out, left, right }) => [out, left, right].sort().join() === wanted.join())
  return found ?? fail(`No einsum of ${wanted}`)
}

/** As many key-value heads as heads here, as many experts as choices: the algebra's rules are the same, the sizes then are. */
function monomialValue(
  mesh: SimulatedMesh,
  { arrays }: Component,
  { coefficient, extents, divide }: Monomial,
): number {
  const shards = mesh.active.filter((axis) => divide & axisBit[axis]).length
  const dimensions = Object.values(arrays).flatMap((array) => array.dimensions)
  const size = (extent: string) => mesh.size(dimensions.find((one) => one.extent === extent)?.label ?? extent)
  return extents.reduce((product, extent) => product * size(extent), coefficient) / 2 ** shards
}
