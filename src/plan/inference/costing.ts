/**
 * Costs an inference candidate again with all its parts: times of each chosen component, of the streams between them,
 * of stages and overheads. The parts add up to the step.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { type Bound, createTraffic } from '../../cost/communication/traffic.ts'
import { setShards } from '../../inference/layout/local-sizes.ts'
import { embeddingBeside, type InferenceModel, movesBetween } from '../../inference/model.ts'
import { fixedSeconds, overheadSeconds, transferSeconds } from '../../inference/pass/arrangement.ts'
import { courses, crossings } from '../../inference/pass/courses.ts'
import type { Course, Pass } from '../../inference/pass/pass.ts'
import { setPass } from '../../inference/pass/shape-numbers.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import {
  type ComponentTime,
  type Conditions,
  componentTime,
  moveSeconds,
  partSeconds,
} from '../../inference/time/component-time.ts'
import {
  besideSeconds,
  type Computed,
  layerComputed,
  leastBeside,
  mostBeside,
} from '../../inference/time/turns.ts'
import { benchOf, type Workbench } from '../../inference/workbench.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import type { Seconds } from '../../units.ts'

export interface InferenceCosting {
  readonly bench: Workbench
  readonly candidate: InferenceCandidate
  /** The longest one, of which everything is told. */
  readonly course: Course
  readonly given: Conditions
  readonly components: readonly CostedComponent[]
  /** Moves between components whose layouts differ. */
  readonly resharding: Seconds
  /** With two half batches: the part of dispatch and combine that is not hidden by the other half's compute, or slows it. */
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
  /** How often it runs in a row on the critical path. */
  readonly times: number
  /** How often a single stage runs it; for the rest of `times` that stage waits for the others. */
  readonly busy: number
  readonly time: ComponentTime
  /** What it computes, by its place in the turns of two halves. */
  readonly parts: Computed
}

/** The components of a candidate, and the longest of its courses as far as moves overlap. */
function costedOn(bench: Workbench, candidate: InferenceCandidate) {
  const { mesh, costs, pass, layouts } = candidate
  const given: Conditions = {
    rates: bench.rates,
    assumptions: bench.assumed[pass.mode],
    contexts: pass.contexts,
    sizes: bench.sizes,
    traffic: createTraffic(bench.resources),
    experts: bench.setting.model.experts,
  }
  setShards(bench.sizes, mesh)
  const head = layouts.length - 1
  const timed = layouts.map((layout, index) => {
    setPass(bench, pass, index === head)
    return {
      name: bench.components[index]?.name ?? '',
      layout,
      time: componentTime(layout, costs, given, pass.halves),
      parts: partSeconds(layout, given),
    }
  })
  const partsOn = (course: Course, bound: Bound) => {
    const components = timed.map((component, index): CostedComponent => {
      const times = course.times[index] ?? 0
      const busy = index === head ? times : Math.min(times, pass.units * (course.stage[index] ?? 0))
      return { ...component, times, busy }
    })
    const resharding = reshardingSeconds(bench, candidate, course, given, bound)
    const beside = besideOf(components, bound, pass, given.assumptions)
    const inComponents = components.reduce((sum, { times, time }) => sum + times * time[bound], 0)
    return { course, components, resharding, beside, inLayers: inComponents + resharding + beside }
  }
  const longest = (bound: Bound) => {
    const all = courses(bench, pass).map((course) => partsOn(course, bound))
    return all.reduce((most, own) => (own.inLayers > most.inLayers ? own : most))
  }
  return { given, longest }
}

/** Its time alone. */
export function inferenceSeconds(model: InferenceModel, candidate: InferenceCandidate): Seconds {
  const bench = benchOf(model)
  const { mesh, pass } = candidate
  const { inLayers } = costedOn(bench, candidate).longest('expected')
  return inLayers + transferSeconds(bench, candidate, pass) + overheadSeconds(bench, mesh, pass, inLayers)
}

export function inferenceCosting(model: InferenceModel, candidate: InferenceCandidate): InferenceCosting {
  const bench = benchOf(model)
  const { mesh, pass } = candidate
  const { given, longest } = costedOn(bench, candidate)
  const bounded = (bound: Bound) => {
    const { inLayers } = longest(bound)
    return inLayers + fixedSeconds(bench, candidate, pass, inLayers)
  }
  const { course, components, resharding, beside, inLayers } = longest('expected')
  const transfers = transferSeconds(bench, candidate, pass)
  const overhead = overheadSeconds(bench, mesh, pass, inLayers)
  return {
    ...{ bench, candidate, course, given, components, resharding, beside, transfers, overhead },
    stepTime: inLayers + transfers + overhead,
    lowerBound: bounded('lower'),
    upperBound: bounded('upper'),
  }
}

/** What two halves of a layer take beside computing, over all layers with experts. */
function besideOf(
  components: readonly CostedComponent[],
  bound: Bound,
  { mode }: Pass,
  { dispatchComputeShare }: Assumptions,
): Seconds {
  const [attention] = components
  const experts = components.find((component) => componentRow(component).layers === 'sparse')
  if (!attention || !experts) return 0
  const computed = layerComputed(attention.parts, experts.parts)
  const { lower, expected } = experts.time.routed
  const seconds: Readonly<Record<Bound, () => Seconds>> = {
    lower: () => leastBeside(computed, lower),
    expected: () => besideSeconds(mode, computed, expected, dispatchComputeShare),
    upper: () => mostBeside(computed, expected, dispatchComputeShare),
  }
  return experts.times * seconds[bound]()
}

/** Counted as the layout search does: into the first layer, within and between layers, into the head. */
function reshardingSeconds(
  bench: Workbench,
  { layouts, pass, costs }: InferenceCandidate,
  course: Course,
  given: Conditions,
  bound: Bound,
): Seconds {
  const head = layouts.length - 1
  const between = (from: InferenceCandidate['layouts'][number], to: number, times: number): Seconds => {
    const layout = layouts[to]
    if (!layout) return 0
    setPass(bench, pass, to === head)
    return times * moveSeconds(movesBetween(bench, from, layout), costs, given, bound)
  }
  return crossings(bench, course).reduce(
    (total, { from, to, times }) => {
      const layout = layouts[from]
      return layout ? total + between(layout, to, times) : total
    },
    between(embeddingBeside(bench, layouts[0]), 0, course.entries),
  )
}
