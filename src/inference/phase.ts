/** A phase as a search sees it: the meshes there are, the sites of a mesh, and what comes of one. */
import type { NetworkCosts } from '../cost/communication/network.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { Placement } from '../hardware/network/placement.ts'
import type { PhaseMode } from '../modes/names.ts'
import type { PhaseProblem } from '../problem.ts'
import type { Meshes } from '../search/meshes/meshes.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { Seconds } from '../units.ts'
import type { CompiledLayout } from './layout/compiled-layout.ts'
import type { LayoutsWanted } from './layout/layout-question.ts'
import type { Arrangement } from './pass/arrangement.ts'
import type { Pass } from './pass/pass.ts'
import type { Work } from './time/floor.ts'
import type { Workbench } from './workbench.ts'

export interface InferenceCandidate extends Arrangement {
  /** The chips that it runs on: those of the request, or a part of them. */
  readonly cluster: Cluster
  readonly mesh: Mesh
  readonly placement: Placement
  readonly costs: NetworkCosts
  readonly pass: Pass
  readonly layouts: readonly CompiledLayout[]
  /** What candidates are ranked by: less is better. */
  readonly score: number
}

/** By component, the layouts that a mesh has. */
export type Offered = readonly (readonly CompiledLayout[])[]

/** A mesh with one way to lie on the network. */
export interface Site {
  readonly mesh: Mesh
  readonly placement: Placement
  readonly costs: NetworkCosts
  readonly offered: Offered
}

/** Prefill or generation of one request: the meshes there are, what a mesh may do, and what is best. */
export interface Phase {
  readonly bench: Workbench
  readonly mode: PhaseMode
  readonly workload: PhaseProblem['workload']
  /** Positions that a sequence may have. */
  readonly positions: number
  /** Whether caches go from one server to another; not where absent. */
  readonly transfers?: boolean
  /** That a server is told as a limit; those of its pass where absent. */
  readonly maxSequences?: number
  readonly meshes: Meshes
  /** Layouts that a mesh has, in offers whose combinations may all be listed; of written names alone, where there are some. */
  readonly offers: (mesh: Mesh, wanted?: LayoutsWanted) => readonly Offered[]
  /** Ways through the model on a site; none where nothing fits. */
  readonly passes: (site: Site) => readonly Pass[]
  /** No site of a mesh scores lower; null where nothing fits. */
  readonly lower: (mesh: Mesh, offered: Offered) => number | null
  /** The way that takes least memory, whether or not it fits. */
  readonly leastPass: (mesh: Mesh) => Pass
  /** What candidates are ranked by: less is better, Infinity is over a limit. */
  readonly score: (pass: Pass, seconds: Seconds) => number
  /** All that a pass does, for floors and MFU. */
  readonly work: (pass: Pass) => Work
  /** Tokens that come out of, or go through, a pass. */
  readonly tokens: (pass: Pass) => number
}
