/**
 * The arrays of a component that are on a chip at once while it runs, einsum by einsum: activations that the einsum reads (gathered
 * where it wants them so) or writes, activations that a later einsum still reads, and gathered weights: its own and, as they are
 * fetched ahead, those of the next einsum of the component. The largest set is the component's workspace; sets within others are left out.
 */
import { type ArrayKind, arrayNotation, isLasting, type ShardedArray } from '../../sharding/array.ts'
import type { Component, Einsum } from '../../sharding/component.ts'
import { type Derivation, productsOf } from '../../sharding/derive.ts'
import type { Product } from '../../sharding/product.ts'

/** Kinds of arrays that count as activations, including copies on their way to experts. */
const carried: readonly ArrayKind[] = ['activation', 'dispatch', 'combine']

export function liveSets(derivation: Derivation): readonly (readonly ShardedArray[])[] {
  const { component } = derivation
  const products = [...productsOf(derivation)]
  const steps = component.einsums.map((einsum) => ({
    einsum,
    product: einsum.kind === 'reshard' ? undefined : products.shift(),
  }))
  const sets = steps.map(({ einsum, product }, index) => {
    const now = [...touched(component, einsum, product)]
    const names = new Set(now.map(({ name }) => name))
    const kept = laterReads(
      component,
      steps.slice(index + 1).map(({ einsum: later }) => later),
    )
      .filter((name) => !names.has(name) && isThere(component, index, name))
      .flatMap((name) => component.arrays[name] ?? [])
    const ahead = steps.slice(index + 1).find(({ product: next }) => next !== undefined)
    return [...now, ...kept, ...gathered(component, product), ...gathered(component, ahead?.product)]
  })
  return sets.filter(
    (set, index) => !sets.some((other, at) => at !== index && within(set, other, at < index)),
  )
}

function touched(component: Component, { left, right, out }: Einsum, product: Product | undefined) {
  const arrays = product
    ? product.operands.map(({ array }) => array)
    : [left, right, out].flatMap((name) => component.arrays[name] ?? [])
  return new Map(
    arrays.filter(({ kind }) => carried.includes(kind)).map((array) => [array.name, array]),
  ).values()
}

function laterReads({ arrays }: Component, later: readonly Einsum[]): readonly string[] {
  const names = new Set(later.flatMap(({ left, right }) => [left, right]))
  return [...names].filter((name) => carried.includes(arrays[name]?.kind ?? 'weight'))
}

/** An array that no einsum makes comes in from before. */
function isThere({ einsums }: Component, step: number, name: string): boolean {
  const made = einsums.findIndex(({ out }) => out === name)
  return made < 0 || made <= step
}

/** Weights and caches that are used in another sharding than they are stored in. */
function gathered(component: Component, product: Product | undefined): readonly ShardedArray[] {
  const operands = product?.operands.map(({ array }) => array) ?? []
  return operands.filter((array) => {
    const stored = component.arrays[array.name]
    return isLasting(array) && stored !== undefined && arrayNotation(array) !== arrayNotation(stored)
  })
}

/** Whether a set lies within another; of two equal sets the first stays. */
function within(set: readonly ShardedArray[], other: readonly ShardedArray[], first: boolean): boolean {
  const notations = new Set(other.map(arrayNotation))
  const inside = set.every((array) => notations.has(arrayNotation(array)))
  return inside && (set.length < other.length || first)
}
