/**
 * A list in an order that reaches all parts of it soon: the first items of it already show every kind. Steps of the golden
 * ratio leave no part out for long (Knuth, The Art of Computer Programming 3, section 6.4).
 */
import { commonDivisor } from '../hardware/cluster/divisors.ts'

export function spread<Item>(list: readonly Item[]): readonly Item[] {
  const { length } = list
  let step = Math.max(1, Math.round(length * golden))
  while (commonDivisor(step, length) > 1) step++
  const order: Item[] = []
  for (let at = 0; at < length; at++) {
    const item = list[(at * step) % length]
    if (item !== undefined) order.push(item)
  }
  return order
}

const golden = (Math.sqrt(5) - 1) / 2
