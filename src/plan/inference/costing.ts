/**
 * A candidate of inference costed once more, with all its parts: times of each chosen component, of the streams between
 * them, of stages and overheads. The parts add up to the step.
 */

import { type Bound, createTraffic } from '../../cost/communication/traffic.ts'
import { setShards } from '../../inference/layout/local-term.ts'
import { type InferenceModel, movesBetween } from '../../inference/model.ts'
import { fixedSeconds, overheadSeconds, transferSeconds } from '../../inference/pass/arrangement.ts'
import { crossings, occurrences, runOnStage } from '../../inference/pass/occurrence.ts'
import { setPass } from '../../inference/pass/pass-numbers.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { besideSeconds } from '../../inference/time/beside.ts'
import {
  type ComponentTime,
  type Conditions,
  componentTime,
  moveSeconds,
} from '../../inference/time/component-time.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import type { Seconds } from '../../units.ts'

export interface InferenceCosting {
  readonly model: InferenceModel
  readonly candidate: InferenceCandidate
  readonly given: Conditions
  readonly components: readonly CostedComponent[]
  /** From the choice: layers, head and streams between them. */
  readonly resharding: Seconds
  /** Dispatch and combine of one half that outlast, or slow, what the other computes. */
  readonly beside: Seconds
  readonly transfers: Seconds
  readonly overhead: Seconds
  readonly stepTime: Seconds
  readonly lowerBound: Seconds
  readonly upperBound: Seconds
}

export interface CostedComponent {
  readonly name: string
  readonly layout: InferenceCandidate['layouts'][number]
  /** How often it runs on the critical path, one after another. */
  readonly times: number
  /** How often one stage runs it; the rest of `times` it waits for the others. */
  readonly busy: number
  readonly time: ComponentTime
}

export function inferenceCosting(model: InferenceModel, candidate: InferenceCandidate): InferenceCosting {
  const { mesh, costs, pass, layouts } = candidate
  const given: Conditions = {
    rates: model.rates,
    assumptions: model.assumed[pass.mode],
    contexts: pass.contexts,
    sizes: model.sizes,
    traffic: createTraffic(model.resources),
    experts: model.setting.model.experts,
  }
  setShards(model.sizes, mesh)
  const head = layouts.length - 1
  const counts = occurrences(model, pass)
  const stage = runOnStage(model, pass)
  const components = layouts.map((layout, index): CostedComponent => {
    setPass(model, pass, index === head)
    const times = counts[index] ?? 0
    return {
      name: model.components[index]?.name ?? '',
      layout,
      times,
      busy: index === head ? times : Math.min(times, pass.units * (stage[index] ?? 0)),
      time: componentTime(layout, costs, given, pass.halves),
    }
  })
  const resharding = reshardingSeconds(model, candidate, given, 'expected')
  const bounded = (bound: 'lower' | 'upper') =>
    components.reduce((sum, { times, time }) => sum + times * time[bound], 0) +
    reshardingSeconds(model, candidate, given, bound) +
    (bound === 'lower' ? besideOf(components, 'lower', 0) : 0) +
    fixedSeconds(model, mesh, costs, pass)
  const beside = besideOf(components, 'expected', given.assumptions.dispatchComputeShare)
  const transfers = transferSeconds(model, mesh, costs, pass)
  const overhead = overheadSeconds(model, mesh, pass)
  const inLayers = components.reduce((sum, { times, time }) => sum + times * time.expected, 0)
  return {
    ...{ model, candidate, given, components, resharding, beside, transfers, overhead },
    stepTime: inLayers + resharding + beside + transfers + overhead,
    lowerBound: bounded('lower'),
    upperBound: bounded('upper'),
  }
}

function besideOf(
  components: readonly CostedComponent[],
  bound: 'expected' | 'lower',
  takenShare: number,
): Seconds {
  const [attention] = components
  const experts = components.find((component) => componentRow(component).layers === 'sparse')
  if (!attention || !experts) return 0
  const compute = attention.time.compute + experts.time.compute
  const routed = experts.time.routed[bound]
  return routed === 0 ? 0 : experts.times * besideSeconds(routed, compute, takenShare)
}

/** As the layout question counts it: to the first layer, inside and between layers, to the head. */
function reshardingSeconds(
  model: InferenceModel,
  { layouts, pass, costs }: InferenceCandidate,
  given: Conditions,
  bound: Bound,
): Seconds {
  const head = layouts.length - 1
  const between = (from: typeof model.embedding, to: number, times: number): Seconds => {
    const layout = layouts[to]
    if (!layout) return 0
    setPass(model, pass, to === head)
    return times * moveSeconds(movesBetween(model, from, layout), costs, given, bound)
  }
  return crossings(model, pass).reduce(
    (total, { from, to, times }) => {
      const layout = layouts[from]
      return layout ? total + between(layout, to, times) : total
    },
    between(model.embedding, 0, pass.entryTimes),
  )
}
