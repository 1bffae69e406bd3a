/** A map whose values are read when they are first asked for: one by its name, or all where they are gone through. */
import { once } from '../src/known.ts'

export function readMap<Value>(
  names: readonly string[],
  read: (name: string) => Value,
): ReadonlyMap<string, Value> {
  const each = new Map(names.map((name) => [name, once(() => read(name))]))
  const all = once(() => new Map([...each].map(([name, value]) => [name, value()])))
  return {
    size: each.size,
    has: (name) => each.has(name),
    get: (name) => each.get(name)?.(),
    keys: () => each.keys(),
    values: () => all().values(),
    entries: () => all().entries(),
    forEach: (call) => all().forEach(call),
    [Symbol.iterator]: () => all().entries(),
  }
}
