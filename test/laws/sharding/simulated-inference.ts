/**
 * Runs the forward algorithm of an inference layout: its lines one after another on a tiny mesh of chips with real
 * arrays, beside the same component on one chip. A line finds arrays by the names that it prints. What `reshard` makes
 * has no line of its own: it is the source, moved as printed and cut to the declared sharding.
 */
import { book } from '../../../src/assumptions/book.ts'
import { createSizes, setShape, setShards } from '../../../src/inference/layout/local-sizes.ts'
import { localTerm, localValue } from '../../../src/inference/layout/local-term.ts'
import { known } from '../../../src/known.ts'
import { transformer } from '../../../src/model/architecture.ts'
import { type CompressedAttention, fullAttention } from '../../../src/model/transformer.ts'
import { arrayNotation, type Dimension, type ShardedArray } from '../../../src/sharding/array.ts'
import { type Axis, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { arrayOf, type Component } from '../../../src/sharding/component.ts'
import { type Derivation, deriveForward } from '../../../src/sharding/derive.ts'
import { type Move, reshard } from '../../../src/sharding/move.ts'
import type { Product } from '../../../src/sharding/product.ts'
import { denseInference } from './dense-inference.ts'
import { results } from './dense-training.ts'
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
import type { Comparison, Outcome, Run } from './simulated-training.ts'

/** `component` is restricted to the active axes. */
export function runForward(component: Component, active: readonly Axis[]): Run {
  const mesh = simulatedMesh(active, Object.values(component.arrays))
  return followed(mesh, component, deriveForward(component), costed(mesh, component))
}

/**
 * What the cost model makes of an array on this mesh. As many key-value heads as heads: the simulation has no groups. A token
 * has a copy for each of its choices, and visits every expert: it is not routed.
 */
function costed(
  mesh: SimulatedMesh,
  component: Component,
): (coefficient: number, dimensions: readonly Dimension[]) => number {
  const compresses = Object.values(component.arrays).some(({ dimensions }) =>
    dimensions.some(({ extent }) => extent === 'Og'),
  )
  const model = transformer('simulated', {
    layers: 1,
    dModel: mesh.size('D'),
    dFf: mesh.size('F'),
    heads: compresses ? mesh.size('N') * mesh.size('n') : mesh.size('N'),
    headDim: mesh.size('H'),
    vocab: mesh.size('V'),
    gatedMlp: true,
    tiedEmbeddings: false,
    experts: {
      ...{ experts: mesh.size('A'), activeExperts: mesh.size('A'), dFfExpert: mesh.size('G') },
      ...{ sharedExperts: mesh.size('F') / mesh.size('G'), denseLayers: 0, every: 1 },
    },
    attention: {
      ...fullAttention,
      ...(compresses ? { compressed: compressedOf(mesh) } : {}),
      index: {
        ...{ positions: 1, heads: mesh.size(compresses ? 'i' : 'N'), headDim: mesh.size('H') },
        ...{ firstLayers: 0, every: 1 },
      },
      latent: {
        ...{ queryRank: mesh.size('q'), keyValueRank: mesh.size('l'), ropeHeadDim: 0 },
        ...{ nopeHeadDim: mesh.size('H'), valueHeadDim: mesh.size('H') },
      },
    },
  })
  const sizes = createSizes(model, { ...book, tokensDivideFreely: false, choicesApart: false })
  setShape(sizes, { sequences: mesh.size('B'), positions: mesh.size('T'), context: mesh.size('S') })
  const twos: Partial<Mesh> = Object.fromEntries(mesh.active.map((axis) => [axis, 2]))
  setShards(sizes, { ...unitMesh, ...twos })
  const perChoice = (dimension: Dimension) => ({
    ...dimension,
    extent: simulatedAs[dimension.extent] ?? dimension.extent,
  })
  return (coefficient, dimensions) => localValue(localTerm(coefficient, dimensions.map(perChoice)), sizes)
}

/** What is pooled is as wide as a head here. */
const simulatedAs: Readonly<Record<string, string>> = { J: 'A', Cs: 'H', Ch: 'H' }

/** The one layer has both pools. */
function compressedOf(mesh: SimulatedMesh): CompressedAttention {
  const pool = { positions: 2, layers: 1 }
  const ranks = { queryRank: mesh.size('q'), outputRank: mesh.size('r'), outputGroups: mesh.size('N') }
  return { ...ranks, window: 1, sparse: pool, heavy: pool }
}

function followed(
  mesh: SimulatedMesh,
  component: Component,
  { lines }: Derivation,
  value: ReturnType<typeof costed>,
): Run {
  const whole = denseInference(mesh, component)
  const comparisons: Comparison[] = []
  const outcomes: Outcome[] = []
  const arrays = new Map<string, Spread>()
  /** What is summed so far of each array, by the axes over which it is still to be reduced. */
  const sums = new Map<string, Map<string, { readonly parts: Spread; readonly sharding: ShardedArray }>>()
  const dense = (name: string): Tensor => whole.get(name) ?? fail(`${name} is no array of ${component.name}`)
  const labelsOf = (name: string) => arrayOf(component, name).dimensions.map(({ label }) => label)
  const compare = (line: string, what: Comparison['what'], said: number, done: number) =>
    comparisons.push({ line, what, said, done })

  for (const array of Object.values(component.arrays)) {
    if (results(component).has(array.name)) continue
    arrays.set(canonical(arrayNotation(array)), spread(mesh, dense(array.name), array))
  }
  for (const line of lines) {
    if (line.kind === 'product') multiply(line.product)
    else if (line.move.operation === 'AllGather') gather(line.move)
    else if (line.move.operation === 'AllToAll') turn(line.move)
    else reduce(line.move)
  }
  for (const [name, own] of sums) {
    const declared = arrayOf(component, name)
    const parts = [...own.values()].map((sum) => sliced(mesh, sum.parts, declared))
    conclude(
      name,
      parts.reduce((one, other) => added(one, other)),
      declared,
    )
  }
  for (const { out, kind } of component.einsums) {
    if (kind === 'reshard') conclude(out, resharded(out), arrayOf(component, out))
  }
  return { comparisons, outcomes }

  function conclude(name: string, is: Spread, sharding: ShardedArray): void {
    outcomes.push({ name, is, should: spread(mesh, dense(name), sharding) })
  }

  function read(notation: string): Spread {
    const name = nameOf(notation)
    const found = arrays.get(canonical(notation))
    if (found) return found
    return isResharded(name) ? resharded(name) : fail(`${notation} is read before it is there`)
  }

  function isResharded(name: string): boolean {
    return component.einsums.some(({ out, kind }) => kind === 'reshard' && out === name)
  }

  function resharded(name: string): Spread {
    const declared = arrayOf(component, name)
    const source = component.einsums.find(({ out }) => out === name)?.left ?? fail(`${name} has no source`)
    const [last] = reshard(arrayOf(component, source), declared, {
      pass: 'forward',
      every: 'microbatch',
    }).slice(-1)
    const moved = arrays.get(canonical(last?.to ?? arrayNotation(arrayOf(component, source))))
    return sliced(mesh, moved ?? fail(`${source} was not moved to ${name}`), declared)
  }

  function multiply(product: Product): void {
    const [printed = '', left = '', right = ''] = product.notation.split(/ = | \* /)
    const base = arrayOf(component, nameOf(printed))
    const operands = [read(left), read(right)] as const
    const local = multiplied(mesh, labelsOf(base.name), ...operands)
    const sharding = shardedAsPrinted(base, printed)
    const own = known(sums, base.name, () => new Map())
    const unreduced = unreducedIn(printed)
    const parts = sliced(mesh, added(own.get(unreduced)?.parts, local.result), sharding)
    own.set(unreduced, { parts, sharding })
    if (!printed.includes('{')) arrays.set(canonical(printed), parts)
    compare(product.notation, 'flops', value(2, product.work), 2 * Math.max(...local.multiplyAdds))
    const seen = new Map([
      [nameOf(left), operands[0]],
      [nameOf(right), operands[1]],
      [base.name, local.result],
    ])
    for (const { array } of product.operands) {
      const held = seen.get(array.name) ?? fail(`${array.name} is not in ${product.notation}`)
      const what = array.name === base.name ? 'result' : 'operand'
      compare(product.notation, what, value(1, array.dimensions), heldEntries(held, 0))
    }
  }

  function gather(move: Move): void {
    const after = gathered(mesh, read(move.from), move.over)
    arrays.set(canonical(move.to), after)
    compare(move.to, 'elements moved', value(1, move.volume.dimensions), heldEntries(after, 0))
  }

  /** V is the array before one of the group had it alone: the parts of the group together. */
  function turn(move: Move): void {
    const together = gathered(mesh, read(move.from), move.over)
    const target = arrayOf(component, nameOf(move.to))
    arrays.set(canonical(move.to), sliced(mesh, together, target))
    compare(move.to, 'elements moved', value(1, move.volume.dimensions), heldEntries(together, 0))
  }

  function reduce(move: Move): void {
    const own = known(sums, move.array, () => new Map())
    const over = unreducedIn(move.from)
    const [unreduced, { parts: before }] =
      [...own].find(([letters]) => letters === over) ??
      [...own].find(([letters]) => over !== '' && [...over].every((letter) => letters.includes(letter))) ??
      fail(`${move.array} has no partial sum`)
    const sharding = shardedAsPrinted(arrayOf(component, move.array), move.to)
    const parts = sliced(mesh, summed(mesh, before, move.over), sharding)
    compare(move.to, 'elements moved', value(1, move.volume.dimensions), heldEntries(before, 0))
    own.delete(unreduced)
    const left = [...unreduced].filter((letter) => !over.includes(letter)).join('')
    // What is reduced over some axes waits for the others; what is whole is kept beside what came whole.
    own.set(left === '' ? `reduced over ${over}` : left, { parts, sharding })
    arrays.set(canonical(move.to), parts)
  }
}

/** Letters of the axes over which a printed array is unreduced. */
function unreducedIn(printed: string): string {
  return /\{U_(\w+)\}/.exec(printed)?.[1] ?? ''
}

function fail(message: string): never {
  throw new Error(message)
}
