/**
 * Machines like a plan's own but with other bandwidths, and the cost model on each. All plans of an answer share them, because each
 * model prices all groups of chips anew.
 */
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { known } from '../../known.ts'

/** `name` says which change it is. */
export function changedCluster(cluster: Cluster, name: string, change: () => Cluster): Cluster {
  return known(
    known(changes, cluster, () => new Map<string, Cluster>()),
    name,
    change,
  )
}

const changes = new WeakMap<Cluster, Map<string, Cluster>>()

export function modelElsewhere(model: CostModel, cluster: Cluster): CostModel {
  return known(
    known(models, model, () => new WeakMap<Cluster, CostModel>()),
    cluster,
    () => onCluster(model, cluster),
  )
}

const models = new WeakMap<CostModel, WeakMap<Cluster, CostModel>>()
