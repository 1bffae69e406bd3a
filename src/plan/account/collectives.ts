/**
 * What a plan moves, line by line, on the stage that determines its step: calls as they were costed, but named after
 * the layout derived again with only the axes larger than 1, so that each line reads as in the book.
 */
import { compact } from '../../compact.ts'
import type { NetworkCosts } from '../../cost/communication/network.ts'
import { runsOn } from '../../cost/communication/traffic.ts'
import type { CompiledComponent } from '../../cost/compile/compile.ts'
import { type DerivedComponent, derivedComponent } from '../../cost/compile/compiled-component.ts'
import { ofStage } from '../../cost/compile/composed.ts'
import { termValue } from '../../cost/compile/term.ts'
import { recomputedArrays, recomputedLogits } from '../../cost/memory/recomputation.ts'
import { overLayers } from '../../cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { sharedGradientBytes } from '../../cost/step/microbatch.ts'
import { known, rememberedOf } from '../../known.ts'
import type { Composition } from '../../model/composition.ts'
import { type AxisSet, activeAxes, axisBit, axisSet, type Mesh } from '../../sharding/axis.ts'
import { type Component, restricted } from '../../sharding/component.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import { type Derivation, derive, movesOf } from '../../sharding/derive.ts'
import type { Move } from '../../sharding/move.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import { embedding, type LayerPart, layerParts, unembedding } from '../../sharding/tables/training-layout.ts'
import type { Seconds } from '../../units.ts'
import type { CollectiveLine } from '../plan.ts'
import { callLines, transferLine } from './call-lines.ts'
import type { Costing } from './costing.ts'
import type { Movement } from './movement.ts'

/** Components of a layer, restricted to the axes in use. */
export function planComponents({ model, candidate }: Costing): readonly Component[] {
  const active = activeAxes(candidate.mesh)
  return partsOf(model).map(({ component }) => restricted(component, active))
}

/** Components of the model's layers, or of the layers that one stage holds: one for all plans, as is what is derived of them. */
function partsOf(
  { problem, contextLayout, stages }: CostModel,
  composition?: Composition,
): readonly LayerPart[] {
  const key = composition ? `${composition.layers} ${composition.dense} ${composition.sparse}` : 'all'
  return known(parts(stages), key, () =>
    layerParts(problem.model, problem.assumptions.residual, contextLayout, composition),
  )
}

const parts = rememberedOf((_: CostModel['stages']) => new Map<string, readonly LayerPart[]>())

export function planDerivation(
  { model, candidate }: Costing,
  component: Component,
  policy: number,
): Derivation {
  return derive(component, {
    zeroStage: candidate.zeroStage,
    active: activeAxes(candidate.mesh),
    regatherActivations: model.problem.assumptions.regatherActivations,
    recomputed: recomputedOf(model, component, policy),
  })
}

function recomputedOf({ problem, policies }: CostModel, component: Component, policy: number) {
  if (componentRow(component).place === 'head') return recomputedLogits(component, problem.assumptions)
  const chosen = policies[policy]
  return chosen ? recomputedArrays(component, chosen) : []
}

export function movements(costing: Costing): readonly Movement[] {
  const { candidate, longest, layers } = costing
  const { mix } = candidate
  const again = Math.min(mix.count, longest.layers)
  const each = layers.microbatches
  const { residual } = costing.model.problem.assumptions
  const layerLines = partsOf(costing.model, longest.composition ?? undefined).flatMap(
    ({ component, times }) => {
      const usual = compiled(costing, component, mix.policy)
      const lines = [
        ...linesOf(usual, 'forward', 'forward', each * longest.layers * times, costing),
        ...linesOf(usual, 'backward', 'backward', each * (longest.layers - again) * times, costing),
        ...linesOf(usual, 'gradients', 'step', longest.held * longest.layers * times, costing),
        ...linesOf(usual, 'weights', 'step', longest.held * longest.layers * times, costing),
      ]
      if (again === 0) return lines
      const other = compiled(costing, component, mix.other)
      return [...lines, ...linesOf(other, 'backward', 'backward', each * again * times, costing)]
    },
  )
  const ends = compact(
    longest.first && endLines(embedding(residual), costing),
    longest.last && endLines(unembedding(residual), costing),
  )
  return merged([...layerLines, ...ends, ...transferLines(costing), ...sharedLines(costing)])
}

/** Calls as they were costed. Arrays are named by the layout on the axes in use, if that has the same number of moves. */
interface Told {
  readonly windows: CompiledComponent
  readonly names: ReadonlyMap<Move, string>
}

/** Once for all plans with the same axes in use. */
function compiled(costing: Costing, component: Component, policy: number): Told {
  const { model, candidate } = costing
  const { derivation, windows, told } = compiledAt(model, candidate.zeroStage, component, policy)
  const used = activeAxes(candidate.mesh)
  return known(told, axisSet(used), () => {
    const short = movesOf(planDerivation(costing, restricted(component, used), policy))
    const moves = movesOf(derivation).filter(({ over }) => over.some((axis) => used.includes(axis)))
    const named = short.length === moves.length ? short : moves
    const names = new Map(moves.map((move, index) => [move, named[index]?.from ?? move.from]))
    return { windows, names }
  })
}

interface CompiledAt extends DerivedComponent {
  /** Names, by the axes in use. */
  readonly told: Map<AxisSet, Told>
}

/** Kept with what was compiled of a model, as the plans of one answer have few ZeRO stages and policies between them. */
const compilations = rememberedOf((_: CostModel['stages']) => new Map<string, CompiledAt>())

function compiledAt(
  costed: CostModel,
  zeroStage: ZeroStage,
  component: Component,
  policy: number,
): CompiledAt {
  const { extents, problem, stages } = costed
  const recomputed = recomputedOf(costed, component, policy)
  return known(compilations(stages), `${zeroStage} ${component.name} ${recomputed.join()}`, () => ({
    ...derivedComponent(problem, extents, { component, zeroStage, recomputed }),
    told: new Map(),
  }))
}

function endLines(component: Component, costing: Costing): readonly Movement[] {
  const own = compiled(costing, component, -1)
  const { longest, model } = costing
  const { place } = componentRow(component)
  const each = costing.layers.microbatches / longest.held
  // The head runs once more for each layer that predicts a further token.
  const passes = place === 'head' ? 1 + model.problem.model.multiTokenLayers : 1
  const tied = place === 'entry' && longest.last && model.problem.model.tiedEmbeddings
  return compact(
    linesOf(own, 'forward', 'forward', each * passes, costing),
    linesOf(own, 'backward', 'backward', each * passes, costing),
    !tied && linesOf(own, 'gradients', 'step', 1, costing),
    !tied && linesOf(own, 'weights', 'step', 1, costing),
  )
}

function linesOf(
  { windows, names }: Told,
  window: keyof CompiledComponent,
  pass: CollectiveLine['pass'],
  count: number,
  { costs, scale, candidate, model }: Costing,
): readonly Movement[] {
  const active = axisSet(activeAxes(candidate.mesh))
  const { assumptions, model: transformer } = model.problem
  return windows[window].buckets.flatMap((bucket) => {
    const cost = costs[bucket.over]
    if (!cost || !runsOn(bucket, scale)) return []
    const told = {
      ...{ count, pass, exposed: bucket.critical, over: bucket.over & active },
      bytes: bucket.bytes.map((term) => termValue(term, scale)),
      arrays: bucket.moves.map((move) => names.get(move) ?? move.from),
    }
    return callLines(bucket, told, { cost, assumptions, experts: transformer.experts })
  })
}

/**
 * The set of axes under which a price is stored: prices are kept for the axes of the general layout, so this finds a
 * set that has exactly the axes of `over` and otherwise only axes of size 1.
 */
export function costSet(over: AxisSet, costs: NetworkCosts, mesh: Mesh): AxisSet {
  const active = axisSet(activeAxes(mesh))
  return costs.findIndex((cost, set) => cost !== undefined && (set & active) === over)
}

function transferLines({ candidate, costs, layers, model, scale }: Costing): readonly Movement[] {
  const cost = costs[axisBit.pipeline]
  if (!cost) return []
  const bytes = termValue(model.boundary, scale)
  const count = layers.microbatches * candidate.schedule.virtualStages
  return (['forward', 'backward'] as const).map((pass) =>
    transferLine(
      { op: 'Permute', array: pass === 'forward' ? 'Out' : 'dOut', bytes, count, exposed: false, pass },
      cost,
    ),
  )
}

/** Gradients of one table that the first and the last stage both hold. */
function sharedLines({ candidate, costs, longest, model, scale }: Costing): readonly Movement[] {
  const cost = costs[axisBit.pipeline]
  const bytes = sharedGradientBytes(model, stageModel(model, candidate.zeroStage), scale)
  if (!cost || cost.chips === 1 || bytes === 0 || !(longest.first || longest.last)) return []
  return [
    transferLine({ op: 'AllReduce', array: 'dW_E', bytes, count: 1, exposed: true, pass: 'step' }, cost),
  ]
}

/** Time of moving arrays to the host and back, on the stage that determines the step. */
export function hostSeconds({ candidate, traffic, longest, layers }: Costing): Seconds {
  const each = overLayers(candidate.mix, longest.layers, ofStage(traffic, longest).host)
  return 2 * layers.microbatches * each
}

/** Adds up equal lines of several components or policies. */
function merged(movements: readonly Movement[]): readonly Movement[] {
  const byKey = new Map<string, Movement>()
  for (const { line, busy } of movements) {
    const key = `${line.op} ${line.over} ${line.array} ${line.pass} ${line.bytes}`
    const known = byKey.get(key)
    byKey.set(
      key,
      known
        ? { line: plus(known.line, line), busy: known.busy.map((own, part) => own + (busy[part] ?? 0)) }
        : { line, busy },
    )
  }
  return [...byKey.values()]
}

function plus(one: CollectiveLine, other: CollectiveLine): CollectiveLine {
  return { ...other, count: one.count + other.count, seconds: one.seconds + other.seconds }
}
