/**
 * Where the time and the memory of one layout go, in one shape for all modes. Plans, explanations and sensitivities are
 * made of it, so that none of them costs the layout again.
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
import type { Window } from './window.ts'

export interface Account {
  readonly mode: 'train' | PhaseMode
  readonly setting: Setting
  readonly mesh: Mesh
  readonly placement: Placement
  /** Time of a step: as expected, if everything that can overlap does, and if nothing does. */
  readonly seconds: Seconds
  readonly lowerBound: Seconds
  readonly upperBound: Seconds
  readonly time: TimeAccount
  readonly memory: MemoryAccount
  readonly movements: readonly Movement[]
  /** What runs side by side. */
  readonly windows: readonly Window[]
  /**
   * Components of a layer, with only the axes in use, so that they read as in the book; and the layer's algorithm: its
   * einsums, and what moves between them.
   */
  readonly components: readonly Component[]
  readonly algorithm: readonly string[]
  /** FLOPs of a step on all chips: those that MFU counts, and all that are executed. */
  readonly usefulFlops: Flops
  readonly executedFlops: Flops
  /** Tokens that a step trains on, reads or generates. */
  readonly tokens: number
  /** Step time of the same plan on other hardware of the same shape. */
  readonly secondsOn: (changed: Cluster) => Seconds
  /** Step time of the same plan under other assumptions. */
  readonly secondsUnder: (assumptions: Assumptions) => Seconds
}
