/**
 * Equal parts of derivations as one object. A derivation has some 1 200 arrays, dimensions and products of extents, but 650
 * of them, of many models and meshes, have no more than 15 000 different ones between them. What compares parts does so by
 * what they say, so that nothing else can tell; lines and moves, which stand for themselves, stay as they are.
 */
import { known } from '../known.ts'
import { lastingFrom } from '../recent.ts'
import type { Dimension, ShardedArray } from './array.ts'
import type { Monomial } from './monomial.ts'
import type { Line } from './run-pass.ts'

/** A part without those that it consists of is a hundred bytes. */
const mostKept = 30_000

const kept = lastingFrom(() => new Map<string, unknown>())
const texts = lastingFrom(() => new Map<string, string>())

export function sameLine(line: Line): Line {
  if (line.kind === 'move') {
    const { move } = line
    const { over, array, from, to, elements, volume } = move
    return {
      kind: 'move',
      move: {
        ...move,
        over: sameList(over),
        array: sameText(array),
        from: sameText(from),
        to: sameText(to),
        elements: sameMonomial(elements),
        volume: sameArray(volume),
      },
    }
  }
  const { product } = line
  const { out, notation, flops, work, matrices, operands } = product
  return {
    kind: 'product',
    product: {
      ...product,
      out: sameText(out),
      notation: sameText(notation),
      flops: sameMonomial(flops),
      work: work.map(sameDimension),
      matrices: sameMonomial(matrices),
      operands: operands.map(({ elements, array }) => ({
        elements: sameMonomial(elements),
        array: sameArray(array),
      })),
    },
  }
}

export function sameArray(array: ShardedArray): ShardedArray {
  const { name, kind, role, part, dimensions } = array
  const key = `array ${name} ${kind} ${role} ${part} ${dimensions.map(textOf).join(' ')}`
  return same(key, () => ({ ...array, name: sameText(name), dimensions: dimensions.map(sameDimension) }))
}

function sameDimension(dimension: Dimension): Dimension {
  return same(`dimension ${textOf(dimension)}`, () => ({ ...dimension, axes: sameList(dimension.axes) }))
}

function textOf({ label, extent, axes }: Dimension): string {
  return `${label}:${extent}_${axes}`
}

function sameMonomial(value: Monomial): Monomial {
  const { coefficient, extents, divide, replicated } = value
  const key = `monomial ${coefficient} ${extents} ${divide} ${replicated}`
  return same(key, () => ({ ...value, extents: sameList(extents) }))
}

function sameList<Item extends string>(list: readonly Item[]): readonly Item[] {
  return same(`list ${list}`, () => list)
}

function sameText(text: string): string {
  return sameIn(texts(), text, () => text)
}

function same<Part>(key: string, made: () => Part): Part {
  return sameIn(kept(), key, made) as Part
}

function sameIn<Value>(all: Map<string, Value>, key: string, made: () => Value): Value {
  if (all.size >= mostKept) all.clear()
  return known(all, key, made)
}
