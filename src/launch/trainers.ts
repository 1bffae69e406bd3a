/** The training frameworks: the chips each runs on, how it is started, and what it cannot run. */
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Chip } from '../hardware/chip.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { Placement } from '../hardware/network/placement.ts'
import type { Problem } from '../problem.ts'
import { keepEverything, recomputeEverything } from '../recipe/policy.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { Trainer } from './framework.ts'
import type { Launch } from './launch.ts'
import { maxtext } from './maxtext/config.ts'
import { maxtextPlacements } from './maxtext/device-mesh.ts'
import { maxtextDispatch } from './maxtext/experts.ts'
import { maxtextPolicies } from './maxtext/recomputation.ts'
import { maxtextRules } from './maxtext/rules.ts'
import { megatronDispatch } from './megatron/experts.ts'
import { megatron } from './megatron/flags.ts'
import { narrowWeightsAssumed } from './megatron/narrow-weights.ts'
import { megatronRules } from './megatron/rules.ts'
import type { TokenDispatch } from './run/experts.ts'
import type { RunRules } from './run/rules.ts'
import type { Run } from './run/run.ts'
import { torchtitan } from './torchtitan/config.ts'
import { torchtitanDispatch } from './torchtitan/experts.ts'
import { torchtitanFurtherLayers } from './torchtitan/further-layers.ts'
import { torchtitanPolicies } from './torchtitan/recomputation.ts'
import { torchtitanRules } from './torchtitan/rules.ts'

/** What assumptions follow from: they themselves as far as they are known. */
export type Assuming = Pick<Problem, 'precision' | 'cluster' | 'assumptions'>

export interface TrainingLauncher {
  readonly chips: readonly Chip['kind'][]
  readonly launch: (run: Run) => Launch<unknown>
  /** Rematerialisation policies that it has beside each other in one plan, each on some layers; empty where a plan has one policy. */
  readonly mixes: readonly string[]
  /** What a note calls it where its flags spell the model out, as it knows none by name; null if they do not. */
  readonly spellsModel: string | null
  /** Why its models are planned without layers that predict further tokens where it alone launches plans; absent where they are not. */
  readonly furtherLayers?: string
  /** How it sends tokens to their experts. */
  readonly dispatch: TokenDispatch
  /** What is assumed where it is the one that launches plans, beside how it sends tokens to experts. */
  readonly assumes: (question: Assuming) => Partial<Assumptions>
  /** Rules that a plan has to keep. */
  readonly rules: RunRules
  /** The placements that it makes of a mesh by itself; null, or absent, where it makes any that its rules allow. */
  readonly places?: (cluster: Cluster, mesh: Mesh) => readonly Placement[] | null
}

/** Some layers are recomputed whole, and the others not at all. */
const wholeLayers: readonly string[] = [keepEverything.name, recomputeEverything.name]

export const trainingLaunchers: Readonly<Record<Trainer, TrainingLauncher>> = {
  megatron: {
    chips: ['gpu'],
    launch: megatron,
    mixes: wholeLayers,
    spellsModel: 'Megatron-LM',
    dispatch: megatronDispatch,
    assumes: narrowWeightsAssumed,
    rules: megatronRules,
  },
  maxtext: {
    chips: ['gpu', 'tpu'],
    launch: maxtext,
    mixes: [],
    spellsModel: null,
    dispatch: maxtextDispatch,
    assumes: () => ({ policies: maxtextPolicies, endsOnEveryStage: true, expertBufferFactor: 0 }),
    rules: maxtextRules,
    places: maxtextPlacements,
  },
  torchtitan: {
    chips: ['gpu'],
    launch: torchtitan,
    mixes: wholeLayers,
    spellsModel: null,
    furtherLayers: torchtitanFurtherLayers,
    dispatch: torchtitanDispatch,
    assumes: () => ({ policies: torchtitanPolicies }),
    rules: torchtitanRules,
  },
}
