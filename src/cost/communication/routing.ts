/**
 * How far the copies of a token go, to experts that are spread evenly over Z devices on M nodes:
 *
 *   devices  Z·(1 - (1 - 1/Z)^k)          distinct ones among k choices; a token goes once to a device (formulas 2.2)
 *   nodes    M·(1 - (1 - 1/M)^k)          the same for nodes, M no more than the router's limit
 *
 * The book takes them to be as far apart as they can be: min(k, Z) devices and min(k, M) nodes, its min(8k/Z, 1) of the nodes.
 *
 * Where dispatch is hierarchical a token crosses the scale-out network once for each node and is copied to the node's
 * devices there, so that the outer tiers carry nodes/devices of what an AllToAll would. Source: DeepSeek-V3 (arXiv
 * 2412.19437), section 3.2.2; formulas 13.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { finished } from '../../hardware/network/collective.ts'
import type { GroupCost } from '../../hardware/network/group-cost.ts'
import { remembered } from '../../known.ts'
import type { MixtureOfExperts } from '../../model/transformer.ts'
import type { Bytes, Seconds } from '../../units.ts'
import { rampSeconds } from './operation-time.ts'

/** How many distinct places k even choices meet on average; with `apart`, as many as they can. */
export function distinctPlaces(places: number, choices: number, apart = false): number {
  return apart ? Math.min(places, choices) : places * (1 - (1 - 1 / places) ** choices)
}

/** How many are kept, for as long as the process runs: requests may have models and clusters of their own. */
const [mostChoices, mostPlaces] = [64, 4096]

/** The same for the choices of a token: a power is dear, and every floor asks for the same few. */
function placesOfToken(places: number, choices: number, apart: boolean): number {
  return apart ? distinctPlaces(places, choices, apart) : evenPlaces(choices)(places)
}

const evenPlaces = remembered(
  (choices: number) => remembered((places: number) => distinctPlaces(places, choices), mostPlaces),
  mostChoices,
)

/** How tokens are sent to their experts. */
export type Dispatch = Pick<Assumptions, 'hierarchicalDispatch' | 'choicesApart' | 'expertTensor'>

/**
 * How many times a token is sent in training: once to each device that has experts of it, by kernels that know of devices
 * (DeepEP, HybridEP); else, by a plain AllToAll, once for each expert (Megatron Core's MoEAlltoAllTokenDispatcher makes k copies,
 * sorts them by expert and sends all; MaxText does so too). On one device nothing is sent.
 */
export function placesOf(
  devices: number,
  choices: number,
  { hierarchicalDispatch, choicesApart }: Omit<Dispatch, 'expertTensor'>,
): number {
  if (devices > 1 && !hierarchicalDispatch) return choices
  return placesOfToken(devices, choices, choicesApart)
}

/** Share of an AllToAll's bytes that the outer tiers carry. */
export function outerShare(
  { outerUnits, chips, latencyIsFloor }: GroupCost,
  { activeExperts, nodeLimit }: MixtureOfExperts,
  { hierarchicalDispatch, choicesApart }: Assumptions,
): number {
  if (!hierarchicalDispatch || latencyIsFloor || outerUnits === 1) return 1
  const nodes = placesOfToken(Math.min(outerUnits, nodeLimit ?? outerUnits), activeExperts, choicesApart)
  return nodes / placesOfToken(chips, activeExperts, choicesApart)
}

/** Seconds that each part of the network is busy with so many bytes of routed tokens, of which the outer tiers carry a share. */
export function routedSeconds(bytes: Bytes, cost: GroupCost, outer: number): readonly Seconds[] {
  const ramp = rampSeconds('AllToAll', bytes, cost)
  return cost.allToAllLoads.map((load, level) => (level === 0 ? load * bytes + ramp : load * outer * bytes))
}

/** The time of the busiest part. It is asked for each floor, so it makes no list of all of them. */
export function routedTime(bytes: Bytes, cost: GroupCost, outer: number): Seconds {
  const { allToAllLoads, allToAllLatency, latencyIsFloor } = cost
  let busiest = bytes * (allToAllLoads[0] ?? 0) + rampSeconds('AllToAll', bytes, cost)
  for (let level = 1; level < allToAllLoads.length; level++) {
    busiest = Math.max(busiest, bytes * ((allToAllLoads[level] ?? 0) * outer))
  }
  return finished(busiest, allToAllLatency, latencyIsFloor)
}
