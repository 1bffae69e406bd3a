/**
 * The sharding of every array of a plan's layer, by the array's name, or by component and name if another component
 * shards an array of that name differently.
 */
import { arrayNotation } from '../../sharding/array.ts'
import type { Component } from '../../sharding/component.ts'

export function shardingsOf(components: readonly Component[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const component of components) {
    for (const array of Object.values(component.arrays)) {
      const sharding = arrayNotation(array).slice(array.name.length)
      const taken = found[array.name] !== undefined && found[array.name] !== sharding
      found[taken ? `${component.name}.${array.name}` : array.name] = sharding
    }
  }
  return found
}
