/** Parses arrays as lines print them, `In[B_X, D_Y]`. */
import type { ShardedArray } from '../../../src/sharding/array.ts'
import type { Axis } from '../../../src/sharding/axis.ts'

const axisOf: Readonly<Record<string, Axis>> = {
  R: 'data',
  X: 'fsdp',
  Y: 'tensor',
  Z: 'tensor2',
  C: 'context',
  E: 'expert',
}

export function nameOf(notation: string): string {
  return notation.slice(0, notation.indexOf('['))
}

/**
 * Positions that nothing shards are printed in some places and part of B in others: one key for both. So are a token's
 * copies, one for each choice or for each device of its experts.
 */
export function canonical(notation: string): string {
  return `${nameOf(notation)}[${words(notation)
    .filter((word) => word !== 'T')
    .map((word) => word.replace(/^J/, 'A'))
    .join(', ')}]`
}

/** An array of the table with the sharding that a line prints for it. */
export function shardedAsPrinted(array: ShardedArray, notation: string): ShardedArray {
  const left = [...words(notation)]
  const dimensions = array.dimensions.map((dimension) => {
    const at = left.findIndex((word) => copies(word.split('_')[0]) === copies(dimension.extent))
    const [word = ''] = at < 0 ? [] : left.splice(at, 1)
    return { ...dimension, axes: [...(word.split('_')[1] ?? '')].flatMap((letter) => axisOf[letter] ?? []) }
  })
  return { ...array, name: nameOf(notation), dimensions }
}

function copies(extent: string | undefined): string | undefined {
  return extent === 'J' ? 'A' : extent
}

function words(notation: string): readonly string[] {
  return notation.slice(notation.indexOf('[') + 1, notation.indexOf(']')).split(', ')
}
