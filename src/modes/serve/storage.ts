/**
 * How a phase stores its weights, and the cost if the other phase on the same chips stores them differently: a second
 * copy of those components (bytes per chip), or moving them before each change of phase (seconds, one way).
 *
 * Two components are stored alike if every dimension of every weight is sharded over the same parts of the network,
 * including the stages. On one mesh the moves follow from the sharding algebra; between two meshes the weights are
 * gathered whole, layer by layer, and sliced again.
 */
import { type NetworkCosts, networkPrices } from '../../cost/communication/network.ts'
import { operationTime } from '../../cost/communication/operation-time.ts'
import { parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { union } from '../../hardware/network/group.ts'
import type { CompiledLayout } from '../../inference/layout/compiled-layout.ts'
import { setShards } from '../../inference/layout/local-sizes.ts'
import { localTerm, localValue, sumOf } from '../../inference/layout/local-term.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { stagesOf } from '../../inference/pass/stage-layers.ts'
import type { Site } from '../../inference/phase.ts'
import type { Workbench } from '../../inference/workbench.ts'
import { axesOfArray, type ShardedArray, without } from '../../sharding/array.ts'
import { type Axis, axisBit, axisSet, axisSets, type Mesh } from '../../sharding/axis.ts'
import { weightsOf } from '../../sharding/component.ts'
import { reshard } from '../../sharding/move.ts'
import type { Bytes, Seconds } from '../../units.ts'

/** Weights of each component on a placed mesh. */
export interface Stored extends Pick<Site, 'mesh' | 'placement'> {
  readonly layouts: readonly CompiledLayout[]
}

/** A key for each component; equal keys mean that weights lie alike. */
export function storageKeys({ mesh, placement, layouts }: Stored): readonly string[] {
  const lying = (over: readonly Axis[]) => {
    const groups = over.filter((axis) => mesh[axis] > 1).map((axis) => placement.groups[axis])
    const [first] = groups
    return first ? union(groups, first.kind) : null
  }
  const stages = lying(['pipeline'])
  return layouts.map(({ component }) => {
    const weights = weightsOf(component).map(({ dimensions }) => dimensions.map(({ axes }) => lying(axes)))
    return JSON.stringify([stages, weights])
  })
}

/** Bytes per chip of those components of `wanted` that `kept` stores differently, on the stage where they are the most. */
export function copyBytes(bench: Workbench, wanted: Stored, kept: Stored): Bytes {
  const { sizes } = bench
  const have = storageKeys(kept)
  const keys = storageKeys(wanted)
  setShards(sizes, wanted.mesh)
  const copied = wanted.layouts.map(({ stored }, component) =>
    keys[component] === have[component] ? 0 : sumOf(stored, sizes),
  )
  const copies = stagesOf(bench, wanted.mesh.pipeline).map((held) =>
    copied.reduce((sum, bytes, component) => sum + (held[component] ?? 0) * bytes, 0),
  )
  return Math.max(...copies)
}

export function reshardSeconds(bench: Workbench, from: Stored, to: Stored): Seconds {
  const { sizes, setting } = bench
  const { precision } = setting
  const have = storageKeys(from)
  const wanted = storageKeys(to)
  const costs = allPrices(bench, from)
  const sameMesh = JSON.stringify([from.mesh, from.placement]) === JSON.stringify([to.mesh, to.placement])
  setShards(sizes, from.mesh)
  let total = 0
  from.layouts.forEach(({ component }, index) => {
    if (have[index] === wanted[index]) return
    const layers = bench.components[index]?.layers ?? 0
    const targets = to.layouts[index]?.component.arrays ?? {}
    for (const weight of weightsOf(component)) {
      const size = parameterBytes(precision, weight.part)
      const valued = (array: ShardedArray) => localValue(localTerm(size, array.dimensions), sizes)
      const target = targets[weight.name]
      if (sameMesh && target) {
        const stage = Math.ceil(layers / from.mesh.pipeline)
        for (const move of reshard(weight, target, { pass: 'forward', every: 'step' })) {
          const cost = costs[axisSet(move.over)]
          if (cost) total += stage * operationTime(move.operation, valued(move.volume), cost)
        }
      } else total += wholeSeconds(from.mesh, costs, weight, layers, valued)
    }
  })
  return total
}

/** Time in which every chip gets the whole array of every layer, whichever stage holds it. */
function wholeSeconds(
  mesh: Mesh,
  costs: NetworkCosts,
  weight: ShardedArray,
  layers: number,
  bytes: (array: ShardedArray) => Bytes,
): Seconds {
  const over = axesOfArray(weight)
  const set = axisSet(over) | (layers > 1 && mesh.pipeline > 1 ? axisBit.pipeline : 0)
  const cost = costs[set]
  if (!cost) return 0
  return operationTime('AllGather', layers * bytes(without(weight, over)), cost)
}

function allPrices({ setting }: InferenceModel, { placement, mesh }: Stored): NetworkCosts {
  const sets = Array.from({ length: axisSets - 1 }, (_, at) => at + 1)
  return networkPrices(setting.cluster.network, sets, setting.assumptions).placed(placement, mesh)
}
