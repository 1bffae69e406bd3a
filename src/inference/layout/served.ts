/** What is asked of serving frameworks about the layouts of a pass. */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { PhaseMode } from '../../modes/names.ts'
import type { Setting } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { LayoutFields } from '../../sharding/tables/inference-layout-fields.ts'
import type { Bytes } from '../../units.ts'
import type { Pass } from '../pass/pass.ts'
import type { CompiledLayout } from './compiled-layout.ts'

/** What a framework is asked about. */
export interface ServableLayouts {
  readonly mode: PhaseMode
  readonly mesh: Mesh
  readonly layouts: readonly (LayoutFields & Pick<CompiledLayout, 'component'>)[]
  readonly pass: Pick<
    Pass,
    'shape' | 'resident' | 'units' | 'unitPositions' | 'newPositions' | 'groups' | 'halves' | 'stageLayers'
  >
}

export interface Servable {
  /**
   * What it reads of the chips, but for their kind: where this is the same, a replica of the same model, in the same element types and under the
   * same assumptions, runs the same layouts, on whichever number of chips.
   */
  readonly host: (cluster: Cluster) => string
  /** Of so many sequences together the least number with which it runs the same. */
  readonly toldApart: (sequences: number) => number
  /** Whether any framework has such a layout. */
  readonly layout: (fields: LayoutFields) => boolean
  /**
   * Bytes of a chip that a step of generation needs beyond what every plan leaves free, in the framework that needs least; Infinity where none runs
   * such a step.
   */
  readonly needsBeside: (setting: Setting, mesh: Mesh, pass: ServableLayouts['pass']) => Bytes
  /** Whether one of them runs the layouts together. */
  readonly runs: (setting: Setting, told: ServableLayouts) => boolean
  /** Whether one of them generates so in a server that reads prompts as well. */
  readonly serves: (setting: Setting, told: Omit<ServableLayouts, 'mode'>) => boolean
}

/** The part of a pass that frameworks look at: how many prompts or sequences run at once, and whether halves of them overlap. */
export function onePass(sequences: number, halved: boolean, stageLayers: number) {
  const shape = { sequences, positions: 1, context: 1 }
  return {
    shape,
    resident: shape,
    units: 1,
    unitPositions: 1,
    newPositions: 1,
    groups: 1,
    halves: halved ? 2 : 1,
    stageLayers,
  } as const
}
