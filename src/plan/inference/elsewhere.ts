/**
 * A model on machines like its own but with other bandwidths, and under other assumptions. All plans of an answer share them (account/elsewhere.ts), as do
 * those of a deployment under each of its servers: times hang on the setting alone, whoever serves it.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { type InferenceModel, inferenceOn } from '../../inference/model.ts'
import { known } from '../../known.ts'
import type { Setting } from '../../problem.ts'

export function modelOn(model: InferenceModel, cluster: Cluster): InferenceModel {
  return changed(model, cluster, { ...model.setting, cluster })
}

export function modelUnder(model: InferenceModel, assumptions: Assumptions): InferenceModel {
  return changed(model, assumptions, { ...model.setting, assumptions })
}

function changed(model: InferenceModel, by: object, setting: Setting): InferenceModel {
  const own = known(models, model.setting, () => new WeakMap<object, InferenceModel>())
  return known(own, by, () => inferenceOn(model, setting, null))
}

const models = new WeakMap<Setting, WeakMap<object, InferenceModel>>()
