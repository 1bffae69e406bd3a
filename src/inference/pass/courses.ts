/**
 * How often a pass runs each component, and how often the stream goes from one to another, on each of its courses: a pass takes as long as the
 * longest of them. A course is of some rounds of one stage, the others waiting for it, and of some through the whole model.
 *
 *   component    stage rounds · its layers on the stage + model rounds · its layers;  the head as the rounds say
 *   stream       from the first component of a layer to each that may follow, as often as that runs; back from there to
 *                the next layer, once less than there are layers; and from the last layer to the head
 *
 * Which course is the longest depends on the layouts: a pass with several has the layouts whose longest course is the shortest
 * (search/component-layout/longest.ts). The last layer is taken to be one with experts, where there are any.
 */
import { componentRow } from '../../sharding/component-rows.ts'
import type { InferenceModel } from '../model.ts'
import type { Course, Pass, Rounds } from './pass.ts'
import { type StageLayers, stagesOf } from './stage-layers.ts'

/** Those that may be the longest. */
export function courses(model: InferenceModel, { rounds, stages }: Pass): readonly Course[] {
  const all = rounds.flatMap((own) => stagesOf(model, stages).map((stage) => courseOf(model, own, stage)))
  if (all.length === 1) return all
  return all.filter((one, at) =>
    all.every((other, place) => {
      return place === at || !isWithin(one, other) || (at < place && isWithin(other, one))
    }),
  )
}

function courseOf({ components }: InferenceModel, rounds: Rounds, stage: StageLayers): Course {
  const times = components.map((component, at) => {
    if (componentRow(component).place === 'head') return rounds.head
    return rounds.stage * (stage[at] ?? 0) + rounds.model * component.layers
  })
  return { times, entries: rounds.stage + rounds.model, stage }
}

function isWithin(one: Course, other: Course): boolean {
  return one.entries <= other.entries && one.times.every((times, at) => times <= (other.times[at] ?? 0))
}

/** Two components between which the stream goes; the last of them is the head. */
interface Between {
  readonly from: number
  readonly to: number
}

export function streamsTo(head: number): readonly Between[] {
  const later = Array.from({ length: head - 1 }, (_, index) => index + 1)
  const ends = later.length > 0 ? later : [0]
  return [
    ...later.map((to) => ({ from: 0, to })),
    ...ends.map((from) => ({ from, to: 0 })),
    { from: head - 1, to: head },
  ]
}

/** How often the stream goes from one to the other on a course. */
export function crossingTimes({ setting }: InferenceModel, { from, to }: Between, { times }: Course): number {
  const own = times[to > 0 ? to : from] ?? 0
  return to > 0 ? own : own * (1 - 1 / setting.model.layers)
}

interface Crossing extends Between {
  readonly times: number
}

export function crossings(model: InferenceModel, course: Course): readonly Crossing[] {
  return streamsTo(course.times.length - 1).map((between) => ({
    ...between,
    times: crossingTimes(model, between, course),
  }))
}
