/**
 * Which layouts a mesh has, what each costs on one placement, and what moving the stream between them costs: the question that
 * the component-layout programme (search/component-layout/program.ts) and its enumeration answer.
 */
import {
  addCall,
  addScaled,
  cleared,
  createTraffic,
  type Traffic,
  windowTime,
} from '../../cost/communication/traffic.ts'
import { known } from '../../known.ts'
import type { LayoutOption, LayoutQuestion, Resharding } from '../../search/component-layout/question.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { isDistinct, isMeant } from '../../sharding/tables/inference-layout-fields.ts'
import { projectionUse } from '../../sharding/tables/inference-sharding.ts'
import type { Seconds } from '../../units.ts'
import { embeddingBeside, expertsAt, type InferenceModel, movesBetween } from '../model.ts'
import { crossings } from '../pass/courses.ts'
import type { Course, Pass } from '../pass/pass.ts'
import { passBudget } from '../pass/pass-budget.ts'
import { movedBytes, passNumbers, residentOf } from '../pass/pass-numbers.ts'
import { setPass } from '../pass/shape-numbers.ts'
import { partSeconds } from '../time/component-time.ts'
import { besideSeconds, layerComputed } from '../time/turns.ts'
import type { Workbench } from '../workbench.ts'
import {
  type CompiledCollective,
  type CompiledLayout,
  type Offered,
  type PricedMesh,
  routedOf,
  unroutedOf,
} from './compiled-layout.ts'

/** Names of the layouts to keep, by component; components that are left out keep all. */
export type LayoutsWanted = Readonly<Record<string, string>>

export function offeredLayouts(model: InferenceModel, mesh: Mesh, wanted: LayoutsWanted = {}): Offered {
  const { assumptions } = model.setting
  return model.components.map(({ name, layouts }) =>
    layouts.filter((layout) => {
      const asked = wanted[name]
      if (asked !== undefined) return isMeant(asked, layout.name)
      if (!projectionUse(layout.projection).wholeColumns && !assumptions.searchWeightLayouts) return false
      return isDistinct(layout, mesh)
    }),
  )
}

/**
 * Questions of seconds on each course that the pass may take, that which is likely to be the longest first, and of bytes on each stage, that which is
 * likely to be the fullest first.
 */
export function layoutQuestions(bench: Workbench, site: PricedMesh, pass: Pass): readonly LayoutQuestion[] {
  const { mesh, offered: layouts } = site
  const times = movesOn(bench, site, pass)
  const numbers = passNumbers(bench, mesh, pass, layouts)
  const stages = residentOf(bench, pass, numbers)
  const budget = passBudget(bench, mesh, pass)
  const head = layouts.length - 1
  const ran = bench.components.map((_, component) =>
    (layouts[component] ?? []).map((layout, option): Ran => {
      const compute = numbers.compute[component]?.[option] ?? 0
      // Moves the stream from where the embedding leaves it to where the first layer takes it in.
      const entry = component === 0 ? movesBetween(bench, embeddingBeside(bench, layout), layout) : []
      const waitedFor = pass.halves === 1 ? layout.collectives : unroutedOf(layout)
      const each = times.seconds(waitedFor, compute, component === head)
      return { name: layout.name, each, first: times.seconds(entry, 0, false) }
    }),
  )
  const taken = numbers.courses.map((course) => ({
    seconds: ran.map((options, component) =>
      options.map(({ each, first }) => (course.times[component] ?? 0) * each + course.entries * first),
    ),
    resharding: [...edges(bench, course, layouts, times), ...besides(bench, pass, course, layouts, times)],
  }))
  return Array.from({ length: Math.max(taken.length, stages.length) }, (_, at): LayoutQuestion => {
    const { seconds = [], resharding = [] } = taken[at] ?? taken[0] ?? {}
    const stage = stages[at] ?? stages[0] ?? []
    const components = bench.components.map(({ name }, component) => ({
      name,
      options: (ran[component] ?? []).map((own, option): LayoutOption => {
        const { bytes = 0, workspace = 0 } = stage[component]?.[option] ?? {}
        return { name: own.name, seconds: seconds[component]?.[option] ?? 0, bytes, workspace }
      }),
    }))
    return { components, resharding, budget }
  })
}

/** A layout of a component: what one run of it takes, and what each entry into it. */
interface Ran extends Pick<LayoutOption, 'name'> {
  readonly each: Seconds
  readonly first: Seconds
}

interface MoveTimes {
  /** Time of these moves beside so much computing, which is part of it. */
  readonly seconds: (moves: readonly CompiledCollective[], compute: Seconds, head: boolean) => Seconds
}

/** Prices each collective once on a placement, however many layouts have it. */
function movesOn(bench: Workbench, { mesh, costs }: PricedMesh, pass: Pass): MoveTimes {
  const { setting, assumed, resources, traffics } = bench
  const [ofLayers, ofHead] = [new Map<CompiledCollective, Traffic>(), new Map<CompiledCollective, Traffic>()]
  const beside = { assumptions: assumed[pass.mode], experts: setting.model.experts }
  let used = 0
  const blank = (): Traffic => {
    const traffic = traffics[used] ?? createTraffic(resources)
    traffics[used++] = traffic
    return cleared(traffic)
  }
  const sum = blank()
  const trafficOf = (move: CompiledCollective, head: boolean): Traffic =>
    known(head ? ofHead : ofLayers, move, () => {
      const traffic = blank()
      const cost = costs[move.over]
      if (cost && cost.chips > 1) {
        addCall(traffic, move, movedBytes(bench, mesh, pass, move, head), cost, beside)
      }
      return traffic
    })
  return {
    seconds: (moves, compute, head) => {
      if (moves.length === 0) return compute
      cleared(sum)
      for (const move of moves) addScaled(sum, trafficOf(move, head), 1)
      return windowTime(compute, sum, 'expected')
    },
  }
}

/** The times of moving the stream, for each two components that follow one another and each pair of their layouts. */
function edges(
  model: InferenceModel,
  course: Course,
  layouts: Offered,
  { seconds }: MoveTimes,
): readonly Resharding[] {
  const head = layouts.length - 1
  return crossings(model, course).map(({ from, to, times }) => ({
    from,
    to,
    seconds: streamTable(model, layouts[from] ?? [], layouts[to] ?? [], (moves) => {
      return moves.length === 0 ? 0 : times * seconds(moves, 0, to === head)
    }),
  }))
}

/** What dispatch and combine of one half add to the other half's attention and experts, for each pair of layouts. */
function besides(
  bench: Workbench,
  pass: Pass,
  course: Course,
  layouts: Offered,
  { seconds }: MoveTimes,
): readonly Resharding[] {
  if (pass.halves === 1) return []
  const experts = expertsAt(bench)
  const times = course.times[experts] ?? 0
  const assumptions = bench.assumed[pass.mode]
  setPass(bench, pass, false)
  const given = { rates: bench.rates, assumptions, contexts: pass.contexts, sizes: bench.sizes }
  const ofExperts = (layouts[experts] ?? []).map((layout) => ({
    computed: partSeconds(layout, given),
    routed: {
      dispatch: seconds(routedOf(layout, 'dispatch'), 0, false),
      combine: seconds(routedOf(layout, 'combine'), 0, false),
    },
  }))
  const table = (layouts[0] ?? []).map((layout) => {
    const attention = partSeconds(layout, given)
    return ofExperts.map(({ computed, routed }) => {
      const both = layerComputed(attention, computed)
      return times * besideSeconds(pass.mode, both, routed, assumptions.dispatchComputeShare)
    })
  })
  return [{ from: 0, to: experts, seconds: table }]
}

/** Times of moving the stream by layouts: options that shard it alike share a row, and a cell of it. */
function streamTable(
  model: InferenceModel,
  from: readonly CompiledLayout[],
  to: readonly CompiledLayout[],
  cost: (moves: readonly CompiledCollective[]) => Seconds,
): readonly (readonly Seconds[])[] {
  const rows = new Map<string, readonly Seconds[]>()
  return from.map((a) =>
    known(rows, a.out, () => {
      const cells = new Map<string, Seconds>()
      return to.map((b) => known(cells, b.into, () => cost(movesBetween(model, a, b))))
    }),
  )
}
