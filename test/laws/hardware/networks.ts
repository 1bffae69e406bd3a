/** A torus and a switched network to try collectives on, with groups of their chips. */
import fc from 'fast-check'
import type { Tier } from '../../../src/hardware/chip.ts'
import type { SwitchedNetwork, TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { collectiveTime, groupCost } from '../../../src/hardware/network/collective.ts'
import type { TorusPart } from '../../../src/hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../../src/hardware/network/group-cost.ts'

export const W = 4.5e10
export const finite: NetworkTerms = {
  finiteRings: true,
  scaleUpEfficiency: 1,
  scaleUpHalfBytes: 0,
  scaleOutEfficiency: 1,
  latencyFactor: 1,
  inNetworkReduction: false,
}
export const bookTerms: NetworkTerms = { ...finite, finiteRings: false, latencyFactor: 0 }

export function torus(topology: readonly number[], wraps: boolean, slices = 1): TorusNetwork {
  return {
    kind: 'torus',
    topology,
    wraps: topology.map(() => wraps),
    linkBytesPerSecond: W,
    hopSeconds: 1e-6,
    slices,
    dcnBytesPerSecondPerChip: 3e9,
    dcnLatencySeconds: 1e-5,
  }
}

export const node: Tier = {
  name: 'node',
  size: 8,
  bytesPerSecondPerChip: 450e9,
  latencySeconds: 1e-6,
  inNetworkReduction: true,
}
export const leaf: Tier = {
  name: 'leaf',
  size: 4,
  bytesPerSecondPerChip: 50e9,
  latencySeconds: 4e-6,
  inNetworkReduction: true,
}
export const spine: Tier = { ...leaf, name: 'spine', size: null, bytesPerSecondPerChip: 30e9 }
export const switched: SwitchedNetwork = { kind: 'switched', tiers: [node, leaf, spine] }

export const whole = (physical: number, size: number): TorusPart => ({ physical, size, stride: 1 })
export const onTorus = (network: TorusNetwork, parts: readonly TorusPart[], terms = finite, slices = 1) =>
  groupCost(network, { kind: 'torus', parts, slices }, terms)
export const onRanks = (size: number, stride = 1, terms = finite, network = switched) =>
  groupCost(network, { kind: 'switched', spans: size > 1 ? [{ size, stride }] : [] }, terms)

export const topologies = fc.array(fc.constantFrom(1, 2, 3, 4, 6, 8, 16), { minLength: 1, maxLength: 3 })
export const termsOf = fc.record({
  finiteRings: fc.boolean(),
  scaleUpEfficiency: fc.double({ min: 0.3, max: 1, noNaN: true }),
  scaleUpHalfBytes: fc.constantFrom(0, 1e7),
  scaleOutEfficiency: fc.double({ min: 0.3, max: 1, noNaN: true }),
  latencyFactor: fc.constantFrom(0, 1, 2),
  inNetworkReduction: fc.constant(false),
})

/** A torus, and on each of its axes a part: sizes and strides that a placement could give. */
export const torusGroups = fc
  .record({
    topology: topologies,
    wraps: fc.boolean(),
    slices: fc.constantFrom(1, 2, 5),
    seed: fc.infiniteStream(fc.nat(1000)),
  })
  .map(({ topology, wraps, slices, seed }) => {
    const draw = <Item>(items: readonly Item[]): Item => items[seed.next().value % items.length] as Item
    const parts = topology.map((length, physical) => {
      const size = draw(divisorsOf(length))
      return { physical, size, stride: draw(divisorsOf(length / size)) }
    })
    const network = torus(topology, wraps, slices)
    return { network, parts: parts.filter(({ size }) => size > 1), slices: draw([1, slices]) }
  })

export const sizes = fc.constantFrom(2, 4, 8, 16, 32, 64, 128, 512)

export function time(cost: GroupCost, bytes: number): number {
  return collectiveTime(bytes, cost.perByte, cost.latency, cost.latencyIsFloor)
}
