/**
 * Every plan of a problem, costed one after another with the cost model alone: no floors, no best case, no early exit,
 * and memory policies by trying every number of layers. The search has to agree with it.
 */

import { satisfies } from '../../../src/constraint.ts'
import {
  type Bound,
  createTraffic,
  type RoutedOverlap,
  routedOverlap,
} from '../../../src/cost/communication/traffic.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import type { MemoryNumbers } from '../../../src/cost/memory/layer-bytes.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { keepsLess, offloads } from '../../../src/cost/memory/remat.ts'
import { hostBytes, type Mix, stageBytes } from '../../../src/cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../../src/cost/model.ts'
import { computeNumbers, trafficNumbers } from '../../../src/cost/step/microbatch.ts'
import {
  leastAtEnds,
  mirroredLayers,
  type StageGroup,
  stageGroups,
  stageLayers,
} from '../../../src/cost/step/stages.ts'
import { stepTime } from '../../../src/cost/step/step.ts'
import { updateTimes } from '../../../src/cost/step/update-time.ts'
import { type Placement, placements } from '../../../src/hardware/network/placement.ts'
import { type Composition, layersAreAlike } from '../../../src/model/composition.ts'
import type { Problem } from '../../../src/problem.ts'
import type { Schedule } from '../../../src/recipe/schedule.ts'
import { scheduleRow } from '../../../src/recipe/schedule.ts'
import { trainedMeshRules } from '../../../src/rules/model.ts'
import { keeps } from '../../../src/rules/rule.ts'
import { type Accepts, type Layout, score } from '../../../src/search/layouts/candidate.ts'
import {
  choiceAllowed,
  microbatchChoices,
  scheduleChoices,
  zeroChoices,
} from '../../../src/search/layouts/choices.ts'
import { trainedQuestion } from '../../../src/search/meshes/meshes.ts'
import { unlikeCuts } from '../../../src/search/stages/unlike-cuts.ts'
import { axes, type Mesh, meshKey } from '../../../src/sharding/axis.ts'
import { contextLayoutFits } from '../../../src/sharding/tables/context-layout.ts'

export interface Priced extends Layout {
  readonly placement: Placement
  readonly mix: Mix
  readonly times: Readonly<Record<Bound, number>>
  readonly memory: MemoryNumbers
}

/** The best of a mesh. */
export interface BestOfMesh {
  readonly mesh: Mesh
  readonly score: number
}

export interface Enumeration {
  /** The best of each mesh that has a plan, best first. */
  readonly ranking: readonly BestOfMesh[]
  readonly legal: readonly Mesh[]
  readonly layouts: number
  readonly infeasible: { memory: number; divisibility: number; topology: number; constraint: number }
}

export interface Watch {
  /** Sees every plan there is. */
  readonly plan?: (plan: Priced) => void
  /** Sees what no plan of a cut scores less than. */
  readonly cut?: (layout: Layout, best: number) => void
  /** Plans that may be listed; all where absent. */
  readonly accepts?: Accepts | null
}

export function enumeration(model: CostModel, watch: Watch = {}): Enumeration {
  const { problem, contextLayout } = model
  const { assumptions, constraints } = problem
  const infeasible = { memory: 0, divisibility: 0, topology: 0, constraint: 0 }
  const best: BestOfMesh[] = []
  const legal: Mesh[] = []
  let layouts = 0
  for (const mesh of everyMesh(problem.cluster.chips)) {
    // Layouts of context other than the first count for themselves, where there is such an axis.
    const counts = contextLayout === 'gather'
    if (!keeps(trainedMeshRules, { mesh, question: trainedQuestion(problem) })) {
      if (counts) infeasible.divisibility++
      if (counts) layouts++
      continue
    }
    const unasked = mesh.tensor2 > 1 && !assumptions.searchTensor2 && constraints.tensor2 === undefined
    const stageless = zeroChoices(mesh, problem).length === 0
    if (unasked || stageless || !axes.every((axis) => satisfies(mesh[axis], constraints[axis]))) {
      if (counts) infeasible.constraint++
      if (counts) layouts++
      continue
    }
    if (!contextLayoutFits(contextLayout, mesh, problem.model)) continue
    legal.push(mesh)
    const found = bestOf(model, mesh, watch, (outcome) => {
      layouts++
      if (outcome !== 'plan') infeasible[outcome]++
    })
    if (Number.isFinite(found)) best.push({ mesh, score: found })
  }
  return { ranking: ranked(best), legal, layouts, infeasible }
}

/** Of several layouts of context, of each mesh the best. */
export function mergedRanking(all: readonly Enumeration[]): readonly BestOfMesh[] {
  const best = new Map<string, BestOfMesh>()
  for (const one of all.flatMap(({ ranking }) => ranking)) {
    const known = best.get(meshKey(one.mesh))
    if (!known || one.score < known.score) best.set(meshKey(one.mesh), one)
  }
  return ranked([...best.values()])
}

function ranked(best: readonly BestOfMesh[]): readonly BestOfMesh[] {
  return [...best].sort((a, b) => a.score - b.score || (meshKey(a.mesh) < meshKey(b.mesh) ? -1 : 1))
}

/** All ordered products of seven axes. */
export function* everyMesh(chips: number): Generator<Mesh> {
  function* extended(at: number, left: number, sizes: readonly number[]): Generator<Mesh> {
    if (at === axes.length) {
      if (left === 1) yield Object.fromEntries(axes.map((axis, i) => [axis, sizes[i]])) as unknown as Mesh
      return
    }
    for (let size = 1; size <= left; size++) {
      if (left % size === 0) yield* extended(at + 1, left / size, [...sizes, size])
    }
  }
  yield* extended(0, chips, [])
}

type Outcome = 'plan' | 'memory' | 'divisibility' | 'topology' | 'constraint'

/** Infinity where no plan fits; `count` hears of every layout what there is of it. */
function bestOf(
  model: CostModel,
  mesh: Mesh,
  { plan: visit, cut: visitCut, accepts }: Watch,
  count: (outcome: Outcome) => void,
): number {
  const { problem, resources, contextLayout } = model
  const { assumptions, constraints } = problem
  const scratch = { forward: createTraffic(resources), backward: createTraffic(resources) }
  const places = placements(problem.cluster.network, mesh)
  let best = Number.POSITIVE_INFINITY
  for (const microbatching of microbatchChoices(mesh, problem)) {
    const { microbatches, sequences } = microbatching
    const scale = createScale()
    setMesh(scale, mesh, model.extents, assumptions)
    setBatch(scale, sequences)
    const compute = computeNumbers(model, scale)
    for (const zeroStage of zeroChoices(mesh, problem)) {
      const stage = stageModel(model, zeroStage)
      const memory = memoryNumbers(model, stage, scale)
      const trafficsOf = (routed: RoutedOverlap) =>
        places.map((placement) => ({
          placement,
          traffic: trafficNumbers(model, stage, scale, model.prices.placed(placement, mesh), routed),
        }))
      const schedules = scheduleChoices(mesh, problem, microbatches)
      for (const schedule of schedules) {
        const traffics = trafficsOf(routedOverlap(scheduleRow(schedule), microbatches, assumptions))
        if (places.length === 0) {
          count('topology')
          continue
        }
        if (!choiceAllowed(constraints, zeroStage, microbatches, schedule)) {
          count('constraint')
          continue
        }
        const cuts = everyCut(model, mesh.pipeline, schedule)
        if (cuts.length === 0) {
          count('divisibility')
          continue
        }
        let any = false
        for (const { stageLayers, compositions } of cuts) {
          const groups = stageGroups(stageLayers, schedule, microbatches, compositions)
          const layout: Layout = {
            ...{ cluster: problem.cluster, mesh, zeroStage, contextLayout, ...microbatching },
            ...{ schedule, stageLayers, groups },
          }
          const layers = { groups, schedule, microbatches, update: updateTimes(model, stage, scale)(groups) }
          let bestOfCut = Number.POSITIVE_INFINITY
          const plans = accepts?.plans(layout)
          for (const mix of everyMix(memory, groups, problem)) {
            any = true
            for (const { placement, traffic } of traffics) {
              const step = { model, compute, traffic, layers, scratch }
              const time = (bound: Bound) => stepTime(step, mix, bound)
              const expected = time('expected')
              const upper = visit || expected <= bestOfCut ? time('upper') : Number.POSITIVE_INFINITY
              if (visit) {
                const times = { expected, lower: time('lower'), upper }
                visit({ ...layout, placement, mix, times, memory })
              }
              const value = score(expected, upper)
              if (value < bestOfCut && (!accepts || plans?.(placement, mix))) {
                bestOfCut = value
              }
            }
          }
          visitCut?.(layout, bestOfCut)
          best = Math.min(best, bestOfCut)
        }
        count(any ? 'plan' : 'memory')
      }
    }
  }
  return best
}

/** So many layers on the last stage, for every number of them. */
function everyCut(model: CostModel, stages: number, schedule: Schedule): readonly Cut[] {
  const { assumptions, model: transformer } = model.problem
  const { layers } = transformer
  const alike = (counts: readonly number[]): Cut => ({ stageLayers: counts, compositions: null })
  if (assumptions.tokensDivideFreely) return [alike(Array.from({ length: stages }, () => layers / stages))]
  if (!layersAreAlike(transformer)) return unlikeCuts(model, stages, schedule)
  return Array.from({ length: layers }, (_, at) => at + 1).flatMap((last) => {
    const cut =
      schedule.name === 'dualpipe'
        ? mirroredLayers(layers, stages, last)
        : stageLayers(layers, stages, schedule.virtualStages, last, leastAtEnds(schedule.virtualStages))
    return cut ? [alike(cut)] : []
  })
}

interface Cut {
  readonly stageLayers: readonly number[]
  readonly compositions: readonly Composition[] | null
}

/** All mixes within the budget: the leaner policy on any number of layers; real numbers where they divide freely. */
function everyMix(memory: MemoryNumbers, groups: readonly StageGroup[], problem: Problem): readonly Mix[] {
  const room = problem.cluster.chip.hostMemoryBytes ?? Number.POSITIVE_INFINITY
  const fits = (mix: Mix) =>
    groups.every(
      (group) =>
        stageBytes(memory, group, mix) <= problem.memoryBudget && hostBytes(memory, group, mix) <= room,
    )
  const most = Math.max(...groups.map(({ layers }) => layers))
  const mixes: Mix[] = []
  memory.kept.forEach((_kept, policy) => {
    mixes.push({ policy, other: policy, count: 0 })
    memory.kept.forEach((_less, other) => {
      if (!keepsLess(memory, policy, other) || offloads(memory, policy) || offloads(memory, other)) return
      const mix = (count: number): Mix => ({ policy, other, count })
      if (problem.assumptions.tokensDivideFreely) {
        mixes.push(...sampled(mix, most, fits))
      } else {
        for (let count = 1; count < most; count++) mixes.push(mix(count))
      }
    })
  })
  return mixes.filter(fits)
}

const samples = 5

/** The fewest layers that fit, by bisection, and some between that and all. */
function sampled(mix: (count: number) => Mix, most: number, fits: (mix: Mix) => boolean): readonly Mix[] {
  if (!fits(mix(most))) return []
  let [no, yes] = [0, most]
  for (let step = 0; step < 64; step++) {
    const middle = (no + yes) / 2
    if (fits(mix(middle))) yes = middle
    else no = middle
  }
  return Array.from({ length: samples }, (_, at) => mix(yes + (at / samples) * (most - yes)))
}
