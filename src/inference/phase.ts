/** A phase as a search sees it: its meshes, the sites of a mesh, and what is found on one. */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { Placement } from '../hardware/network/placement.ts'
import type { PhaseMode } from '../modes/names.ts'
import type { PhaseProblem, Speculation } from '../problem.ts'
import type { Meshes } from '../search/meshes/meshes.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { Seconds } from '../units.ts'
import type { CompiledLayout, Offered, PricedMesh } from './layout/compiled-layout.ts'
import type { LayoutsWanted } from './layout/layout-question.ts'
import type { Arrangement } from './pass/arrangement.ts'
import type { Pass } from './pass/pass.ts'
import type { Work } from './time/floor.ts'
import type { Workbench } from './workbench.ts'

export interface InferenceCandidate extends Arrangement, Omit<Site, 'offered'> {
  /** The chips that it runs on: all of the request's, or a part of them. */
  readonly cluster: Cluster
  readonly pass: Pass
  readonly layouts: readonly CompiledLayout[]
  /** Candidates are ranked by this: less is better. */
  readonly score: number
}

/** A mesh with one way of lying on the network. */
export interface Site extends PricedMesh {
  readonly placement: Placement
}

/** Prefill or generation of one request: its meshes, what a mesh may do, and what is best. */
export interface Phase {
  readonly bench: Workbench
  readonly mode: PhaseMode
  readonly workload: PhaseProblem['workload']
  /** Positions that a sequence may have. */
  readonly positions: number
  /** Whether caches go from one server to another; absent when they do not. */
  readonly transfers?: boolean
  /** The limit of sequences that a server is told; when absent, those of its pass. */
  readonly maxSequences?: number
  /** How its servers draft tokens, where those of the other phase do. */
  readonly speculative?: Speculation
  /** Most positions of one sequence that have room, where that is known beside the plan (longest.ts). */
  readonly longestPositions?: number
  readonly meshes: Meshes
  /** The layouts that a mesh has, as offers of which every combination may be listed; only those with the names in `wanted`, if given. */
  readonly offers: (mesh: Mesh, wanted?: LayoutsWanted) => readonly Offered[]
  /** Ways through the model on a site; none where nothing fits. */
  readonly passes: (site: Site) => readonly Pass[]
  /** A bound that no site of a mesh scores below; null where nothing fits. */
  readonly lower: (mesh: Mesh, offered: Offered) => number | null
  /** The pass that takes the least memory, whether or not it fits. */
  readonly leastPass: (mesh: Mesh) => Pass
  /** Score of a pass that takes these seconds: less is better, and Infinity is over a limit. */
  readonly score: (pass: Pass, seconds: Seconds) => number
  /** All the work of a pass, for floors and MFU. */
  readonly work: (pass: Pass) => Work
  /** Tokens that come out of a pass (generation) or go through it (prefill). */
  readonly tokens: (pass: Pass) => number
}
