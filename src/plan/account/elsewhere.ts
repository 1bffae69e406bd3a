/**
 * Machines like a plan's own but with other bandwidths, and the cost model on each. All plans of an answer share them, because each
 * model prices all groups of chips anew.
 */
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { known, rememberedOf } from '../../known.ts'

/** `name` says which change it is. */
export function changedCluster(cluster: Cluster, name: string, change: () => Cluster): Cluster {
  return known(changes(cluster), name, change)
}

const changes = rememberedOf((_: Cluster) => new Map<string, Cluster>())

export function modelElsewhere(model: CostModel, cluster: Cluster): CostModel {
  return models(model)(cluster)
}

const models = rememberedOf((model: CostModel) =>
  rememberedOf((cluster: Cluster) => onCluster(model, cluster)),
)
