/**
 * For each component, its layers on a stage; the head counts once.
 *
 * Stages have equally many layers, or one less: which of them have more is left to the server that cuts. A stage of the most may then begin with as
 * many layers more as there may be longer stages before it, and what a step takes and holds is that of the stage where it is the most. As both are
 * sums over layers, stages that lie between two others count for nothing.
 *
 * Where each layer has a mixer or an MLP alone, layers with either are counted by themselves. Mixers that attend and those that do not are one
 * component, whose numbers are means.
 */
import { known } from '../../known.ts'
import { hasExperts } from '../../model/expert-layers.ts'
import { layerHas } from '../../model/layer-pattern.ts'
import type { Transformer } from '../../model/transformer.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import type { InferenceModel } from '../model.ts'

/** By component. */
export type StageLayers = readonly number[]

/** Asked for by every pass, though there are few stages. */
const staged = new WeakMap<InferenceModel['components'], Map<number, readonly StageLayers[]>>()

/** Those that may take or hold the most. */
export function stagesOf({ setting, components }: InferenceModel, stages: number): readonly StageLayers[] {
  const own = known(staged, components, () => new Map<number, readonly StageLayers[]>())
  return known(own, stages, () =>
    outermost(longestStages(setting.model, stages)).map((layers) =>
      components.map((component) => {
        const row = componentRow(component)
        return row.place === 'head' ? 1 : layers[row.layers]
      }),
    ),
  )
}

interface Layers {
  readonly all: number
  readonly mixing: number
  readonly dense: number
  readonly sparse: number
}

function longestStages(model: Transformer, stages: number): readonly Layers[] {
  const all = Math.ceil(model.layers / stages)
  const longer = model.layers - (all - 1) * stages
  const found = new Map<string, Layers>()
  for (let stage = 0; stage < stages; stage++) {
    // Of the longer stages this is one, and those that are not before it are behind it.
    const most = Math.min(stage, longer - 1)
    for (let before = Math.max(0, longer - (stages - stage)); before <= most; before++) {
      const layers = layersFrom(model, stage * (all - 1) + before, all)
      found.set(Object.values(layers).join(), layers)
    }
  }
  return [...found.values()]
}

function layersFrom(model: Transformer, first: number, all: number): Layers {
  let [mixing, dense, sparse] = [0, 0, 0]
  for (let layer = first; layer < first + all; layer++) {
    const experts = hasExperts(model, layer)
    if (layerHas(model, layer, 'attending', 'recurrent') ?? true) mixing++
    if (experts) sparse++
    else if (layerHas(model, layer, 'dense') ?? true) dense++
  }
  return { all, mixing, dense, sparse }
}

/** Those that lie between no two others. */
function outermost(stages: readonly Layers[]): readonly Layers[] {
  return stages.filter(
    (one) =>
      !stages.some((low) => stages.some((high) => low !== one && high !== one && isBetween(one, low, high))),
  )
}

/** Whether the same share of the way from one to the other leads there in each kind. */
function isBetween(one: Layers, low: Layers, high: Layers): boolean {
  const [own, far] = [apart(one, low), apart(high, low)]
  const kind = far.findIndex((count) => count !== 0)
  const share = (own[kind] ?? 0) / (far[kind] ?? 1)
  return (
    share > 0 && share < 1 && own.every((count, at) => Math.abs(count - share * (far[at] ?? 0)) < rounding)
  )
}

/** Of shares of whole numbers of layers. */
const rounding = 1e-9

function apart(one: Layers, other: Layers): readonly number[] {
  return [one.mixing - other.mixing, one.dense - other.dense, one.sparse - other.sparse]
}
