/**
 * The time of one collective of V bytes (hardware/network/collective.ts), and how long each part of the network is busy with it.
 *
 * Inside a node small messages are slower than large ones: beside V times its seconds per byte, the innermost tier takes √(h·U) / w
 * for the U bytes that a chip moves, w the rate of large messages, so that h bytes reach half of it. U is V of a gather or scatter,
 * twice that of an all-reduce, V/n of an AllToAll. NCCL's measured times have this shape (t = a + b·√V + c·V); between
 * nodes nothing is measured. The slowest tier counts: where the tiers above take longer, they hide the extra time.
 *
 * Around a ring go n - 1 messages of V/n, each to the next chip, so that where the ring leaves a node one link carries all of them:
 * t = (n-1) · (V/n / w + t_hop), where a gather shares V out over the links of all members of the node.
 *
 * The root is concave: several messages take no less than one of all their bytes, so a floor may add bytes up but not split them.
 */
import { finished } from '../../hardware/network/collective.ts'
import type { GroupCost } from '../../hardware/network/group-cost.ts'
import type { Way } from '../../sharding/move.ts'
import type { Bytes, Seconds } from '../../units.ts'

export function operationTime(operation: Way, bytes: Bytes, cost: GroupCost): Seconds {
  return finished(
    transferSeconds(operation, bytes, cost),
    latencySeconds(operation, cost),
    cost.latencyIsFloor,
  )
}

/** The time without latency. */
export function transferSeconds(operation: Way, bytes: Bytes, cost: GroupCost): Seconds {
  const slowest = bytes * perByte(operation, cost)
  if (cost.ramp === 0) return slowest
  return Math.max(slowest, innermostSeconds(operation, bytes, cost))
}

export function latencySeconds(operation: Way, cost: GroupCost): Seconds {
  if (operation === 'AllToAll') return cost.allToAllLatency
  if (operation === 'Ring') return (cost.chips - 1) * cost.permuteLatency
  return operation === 'AllReduce' ? cost.allReduceLatency : cost.latency
}

/** What the innermost tier takes beside V times its seconds per byte. */
export function rampSeconds(operation: Way, bytes: Bytes, cost: GroupCost): Seconds {
  return cost.ramp === 0 ? 0 : cost.ramp * Math.sqrt(bytes * movedShare(operation, cost))
}

/** Seconds that each part of the network is busy with one collective. */
export function busySeconds(operation: Way, bytes: Bytes, cost: GroupCost): readonly Seconds[] {
  const moved = bytes * busyFactor(operation, cost)
  const ramp = rampSeconds(operation, bytes, cost)
  return loadsOf(operation, cost).map((load, part) => load * moved + (part === 0 ? ramp : 0))
}

/** Seconds that each part of the network is busy per byte, when an operation is counted as its number of gathers. */
export function loadsOf(operation: Way, cost: GroupCost): readonly number[] {
  if (operation === 'Ring') return cost.permuteLoads
  return operation === 'AllToAll' ? cost.allToAllLoads : cost.loads
}

/** Number of gathers that load the network as much as the operation does; of a ring, the share of V that passes each of its links. */
export function busyFactor(operation: Way, cost: GroupCost): number {
  if (operation === 'AllToAll') return 1
  if (operation === 'Ring') return (cost.chips - 1) / cost.chips
  if (cost.perByte === 0) return 0
  return operation === 'AllReduce' ? cost.allReducePerByte / cost.perByte : 1
}

function innermostSeconds(operation: Way, bytes: Bytes, cost: GroupCost): Seconds {
  const [load = 0] = loadsOf(operation, cost)
  return bytes * load * busyFactor(operation, cost) + rampSeconds(operation, bytes, cost)
}

function perByte(operation: Way, cost: GroupCost): number {
  if (operation === 'AllToAll') return cost.allToAllPerByte
  if (operation === 'Ring') return cost.permutePerByte * busyFactor(operation, cost)
  return operation === 'AllReduce' ? cost.allReducePerByte : cost.perByte
}

function movedShare(operation: Way, cost: GroupCost): number {
  if (operation === 'AllToAll') return 1 / cost.chips
  // Its messages are of V/n: n - 1 roots of these are one of (n - 1)²/n of V.
  if (operation === 'Ring') return (cost.chips - 1) ** 2 / cost.chips
  return operation === 'AllReduce' ? 2 : 1
}
