/**
 * A mesh on the network whose components have one layout each, as instances of a deployment do: what a pass takes there, in numbers
 * alone. That is what `arrange` says of such layouts, to the last digit, without options and tables of what lies between them.
 */
import { addCall, cleared, createTraffic, windowTime } from '../../cost/communication/traffic.ts'
import type { Seconds } from '../../units.ts'
import {
  type CompiledCollective,
  type CompiledLayout,
  isOnly,
  only,
  type PricedMesh,
  routedOf,
  unroutedOf,
} from '../layout/compiled-layout.ts'
import { setShards } from '../layout/local-sizes.ts'
import { sumOf } from '../layout/local-term.ts'
import { embeddingBeside, expertsAt, movesBetween } from '../model.ts'
import { computeSeconds, partSeconds } from '../time/component-time.ts'
import { besideSeconds, layerComputed } from '../time/turns.ts'
import type { Workbench } from '../workbench.ts'
import { arrangedSeconds, fixedSeconds } from './arrangement.ts'
import { cachedBytes } from './cached.ts'
import { courses, crossingTimes, streamsTo } from './courses.ts'
import type { Pass } from './pass.ts'
import type { OptionBytes } from './pass-amounts.ts'
import { passBudget } from './pass-budget.ts'
import { weightBytes } from './pass-numbers.ts'
import { liveBytes, setPass } from './shape-numbers.ts'
import { stagesOf } from './stage-layers.ts'

export interface Settled {
  /** Infinity where the pass does not fit into memory. */
  readonly seconds: (pass: Pass) => Seconds
  readonly fits: (pass: Pass) => boolean
  /** What a pass takes that is known to fit. */
  readonly fittingSeconds: (pass: Pass) => Seconds
  /** Bytes that stay on the fullest stage, and the most that one component works with. */
  readonly memory: (pass: Pass) => OptionBytes
}

/** Null where a component has several layouts, or none. */
export function settledIn(bench: Workbench, site: PricedMesh): Settled | null {
  return isOnly(site.offered) ? settled(bench, site) : null
}

/** What passes take at a site with the best of its layouts; Infinity where none fit. */
export function secondsAt(bench: Workbench, site: PricedMesh): (pass: Pass) => Seconds {
  return settledIn(bench, site)?.seconds ?? ((pass) => arrangedSeconds(bench, site, pass))
}

/** Only the first layout of each component is looked at. */
export function settled(bench: Workbench, site: PricedMesh): Settled {
  const { mesh, costs, offered } = site
  const { sizes, setting, assumed, rates } = bench
  const layouts = offered.flatMap(([layout]) => layout ?? [])
  const each = only(layouts)
  const head = layouts.length - 1
  const weights = weightBytes(bench, mesh, offered).map((stage) => stage.map(([bytes = 0]) => bytes))
  const stages = stagesOf(bench, mesh.pipeline)
  const moves = movesOf(bench, costs, layouts)
  const traffic = createTraffic(bench.resources)

  const memory = (pass: Pass): OptionBytes => {
    setShards(sizes, mesh)
    const cached = cachedBytes(sizes, mesh, pass, each)
    let [bytes, workspace] = [0, 0]
    for (const [stage, counts] of stages.entries()) {
      let own = 0
      for (let at = 0; at <= head; at++) {
        own += (weights[stage]?.[at] ?? 0) + (counts[at] ?? 0) * (cached[at]?.[0] ?? 0)
      }
      bytes = Math.max(bytes, own)
    }
    for (let at = 0; at <= head; at++) {
      const layout = layouts[at]
      setPass(bench, pass, at === head)
      if (layout) workspace = Math.max(workspace, liveBytes(bench, pass, layout, at === head))
    }
    return { bytes, workspace }
  }
  const fits = (pass: Pass): boolean => {
    const { bytes, workspace } = memory(pass)
    return bytes + workspace <= passBudget(bench, mesh, pass)
  }
  const fittingSeconds = (pass: Pass): Seconds => {
    setShards(sizes, mesh)
    const taken = courses(bench, pass).map((course) => ({ course, total: 0 }))
    const assumptions = assumed[pass.mode]
    const given = { rates, assumptions, contexts: pass.contexts, sizes }
    const beside = { assumptions, experts: setting.model.experts }
    /** The time of moves beside so much computing. */
    const moving = (calls: readonly CompiledCollective[], compute: Seconds): Seconds => {
      if (calls.length === 0) return compute
      cleared(traffic)
      for (const call of calls) {
        const cost = costs[call.over]
        if (cost) addCall(traffic, call, sumOf(call.moved, sizes), cost, beside)
      }
      return windowTime(compute, traffic, 'expected')
    }
    const waitedFor = pass.halves === 1 ? moves.all : moves.unrouted
    for (let at = 0; at <= head; at++) {
      const layout = layouts[at]
      if (!layout) continue
      setPass(bench, pass, at === head)
      const own = moving(waitedFor[at] ?? [], computeSeconds(layout, given))
      const entry = at === 0 ? moving(moves.entry, 0) : 0
      for (const way of taken) way.total += (way.course.times[at] ?? 0) * own + way.course.entries * entry
    }
    for (const crossed of moves.crossed) {
      setPass(bench, pass, crossed.to === head)
      const own = moving(crossed.calls, 0)
      for (const way of taken) way.total += crossingTimes(bench, crossed, way.course) * own
    }
    if (pass.halves === 2 && moves.routed) {
      setPass(bench, pass, false)
      const { at, layout, beside: attention, dispatch, combine } = moves.routed
      const computed = layerComputed(partSeconds(attention, given), partSeconds(layout, given))
      const routed = { dispatch: moving(dispatch, 0), combine: moving(combine, 0) }
      const own = besideSeconds(pass.mode, computed, routed, assumptions.dispatchComputeShare)
      for (const way of taken) way.total += (way.course.times[at] ?? 0) * own
    }
    const longest = Math.max(...taken.map(({ total }) => total))
    return longest + fixedSeconds(bench, site, pass, longest)
  }
  const seconds = (pass: Pass) => (fits(pass) ? fittingSeconds(pass) : Number.POSITIVE_INFINITY)
  return { seconds, fits, fittingSeconds, memory }
}

/** The collectives of the layouts that move anything between the chips of a placement. */
function movesOf(bench: Workbench, costs: PricedMesh['costs'], layouts: readonly CompiledLayout[]) {
  const moving = (calls: readonly CompiledCollective[]) =>
    calls.filter(({ over }) => (costs[over]?.chips ?? 1) > 1)
  const [first] = layouts
  const routedAt = expertsAt(bench)
  const routed = layouts[routedAt]
  return {
    all: layouts.map(({ collectives }) => moving(collectives)),
    unrouted: layouts.map((layout) => moving(unroutedOf(layout))),
    /** Moves of the stream from where the embedding leaves it to where the first layer takes it in. */
    entry: first ? moving(movesBetween(bench, embeddingBeside(bench, first), first)) : [],
    crossed: streamsTo(layouts.length - 1).flatMap(({ from, to }) => {
      const [a, b] = [layouts[from], layouts[to]]
      const calls = a && b ? moving(movesBetween(bench, a, b)) : []
      return calls.length > 0 ? [{ from, to, calls }] : []
    }),
    routed:
      first && routed
        ? {
            at: routedAt,
            layout: routed,
            beside: first,
            dispatch: moving(routedOf(routed, 'dispatch')),
            combine: moving(routedOf(routed, 'combine')),
          }
        : null,
  }
}
