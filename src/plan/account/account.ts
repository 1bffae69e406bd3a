/**
 * Where the time and the memory of one layout go: one shape for every mode. Plans, their explanation and what they owe to each
 * resource are made of it, never by costing again.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Placement } from '../../hardware/network/placement.ts'
import type { PhaseMode } from '../../modes/names.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Component } from '../../sharding/component.ts'
import type { Flops, Seconds } from '../../units.ts'
import type { MemoryAccount, TimeAccount } from '../plan.ts'
import type { Movement } from './movement.ts'

export interface Account {
  readonly mode: 'train' | PhaseMode
  readonly setting: Setting
  readonly mesh: Mesh
  readonly placement: Placement
  /** Of a step: as it is expected, if all that can overlap does, and if nothing does. */
  readonly seconds: Seconds
  readonly lowerBound: Seconds
  readonly upperBound: Seconds
  readonly time: TimeAccount
  readonly memory: MemoryAccount
  readonly movements: readonly Movement[]
  /** Of a layer, with only the axes in use, so that they read as in the book; and their einsums with what moves between them. */
  readonly components: readonly Component[]
  readonly algorithm: readonly string[]
  /** Of a step on all chips: those that MFU counts, and all that are executed. */
  readonly usefulFlops: Flops
  readonly executedFlops: Flops
  /** Tokens that a step trains, reads or generates. */
  readonly tokens: number
  /** The same plan on other hardware of the same shape. */
  readonly secondsOn: (changed: Cluster) => Seconds
  /** The same plan, run as other assumptions have it. */
  readonly secondsUnder: (assumptions: Assumptions) => Seconds
}
