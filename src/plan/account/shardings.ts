/** How every array of a plan's layer lies, by name; by component and name where two components have one that lies otherwise. */
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
