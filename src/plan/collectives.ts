/**
 * What a plan moves, line by line, on the stage that it waits for: the layout derived again with only the axes that
 * are larger than 1, so that each line reads as in the book.
 */
import { type Bucket, type CompiledComponent, compile } from '../cost/compile.ts'
import type { NetworkCosts } from '../cost/network.ts'
import { recomputedArrays, recomputedLogits } from '../cost/recomputation.ts'
import { termValue } from '../cost/term.ts'
import { bucketBytes, bucketTime } from '../cost/traffic.ts'
import { collectiveTime } from '../hardware/collective.ts'
import type { Composition } from '../model/composition.ts'
import { attendedShare } from '../model/flops.ts'
import { type Axis, type AxisSet, axes, axesOf, axisBit, axisSet, type Mesh } from '../sharding/axis.ts'
import { type Component, restricted } from '../sharding/component.ts'
import { type Derivation, derive } from '../sharding/derive.ts'
import { embedding, type LayerPart, layerParts, unembedding } from '../sharding/training-layout.ts'
import type { Costing } from './costing.ts'
import type { CollectiveLine } from './plan.ts'

export function activeAxes(mesh: Mesh): readonly Axis[] {
  return axes.filter((axis) => mesh[axis] > 1)
}

/** The components of a plan's layer, with the axes that it uses. */
export function planComponents(costing: Pick<Costing, 'model' | 'candidate'>): readonly Component[] {
  return planParts(costing).map(({ component }) => component)
}

/** Of the model's layers, or of a stage's own. */
function planParts(
  { model, candidate }: Pick<Costing, 'model' | 'candidate'>,
  composition: Composition | null = null,
): readonly LayerPart[] {
  const active = activeAxes(candidate.mesh)
  const { residual } = model.problem.assumptions
  const parts = layerParts(model.problem.model, residual, model.contextLayout, composition ?? undefined)
  return parts.map(({ component, times }) => ({ component: restricted(component, active), times }))
}

export function planDerivation(
  costing: Pick<Costing, 'model' | 'candidate'>,
  component: Component,
  policy: number,
): Derivation {
  const { model, candidate } = costing
  const { assumptions } = model.problem
  const chosen = model.policies[policy]
  const layers = chosen ? recomputedArrays(component, chosen) : []
  return derive(component, {
    zeroStage: candidate.zeroStage,
    active: activeAxes(candidate.mesh),
    regatherActivations: assumptions.regatherActivations,
    recomputed: component.name === 'unembedding' ? recomputedLogits(assumptions) : layers,
  })
}

export function collectiveLines(costing: Costing): readonly CollectiveLine[] {
  const { candidate, longest, layers } = costing
  const { mix } = candidate
  const again = Math.min(mix.count, longest.layers)
  const each = layers.microbatches
  const layerLines = planParts(costing, longest.composition).flatMap(({ component, times }) => {
    const usual = compiled(costing, component, mix.policy)
    const lines = [
      ...lineOf(usual.forward.buckets, 'forward', each * longest.layers * times, costing),
      ...lineOf(usual.backward.buckets, 'backward', each * (longest.layers - again) * times, costing),
      ...lineOf(usual.gradients.buckets, 'step', longest.held * longest.layers * times, costing),
      ...lineOf(usual.weights.buckets, 'step', longest.held * longest.layers * times, costing),
    ]
    if (again === 0) return lines
    const other = compiled(costing, component, mix.other)
    return [...lines, ...lineOf(other.backward.buckets, 'backward', each * again * times, costing)]
  })
  const ends = [
    ...(longest.first ? endLines(embedding(residualOf(costing)), costing) : []),
    ...(longest.last ? endLines(unembedding(residualOf(costing)), costing) : []),
  ]
  return merged([...layerLines, ...ends, ...transferLines(costing)])
}

function residualOf({ model }: Costing) {
  return model.problem.assumptions.residual
}

function compiled(costing: Costing, component: Component, policy: number): CompiledComponent {
  const { extents, problem } = costing.model
  const { model, workload, assumptions, precision } = problem
  const attended = attendedShare(model, workload.sequenceLength, assumptions.attentionFlops)
  return compile(planDerivation(costing, component, policy), extents, precision, assumptions, attended)
}

function endLines(component: Component, costing: Costing): readonly CollectiveLine[] {
  const active = restricted(component, activeAxes(costing.candidate.mesh))
  const windows = compiled(costing, active, -1)
  const { longest, model } = costing
  const each = costing.layers.microbatches / longest.held
  // The head runs once more for every layer that predicts a further token.
  const passes = component.name === 'unembedding' ? 1 + model.problem.model.multiTokenLayers : 1
  const tied = component.name === 'embedding' && longest.last && model.problem.model.tiedEmbeddings
  return [
    ...lineOf(windows.forward.buckets, 'forward', each * passes, costing),
    ...lineOf(windows.backward.buckets, 'backward', each * passes, costing),
    ...(tied ? [] : lineOf(windows.gradients.buckets, 'step', 1, costing)),
    ...(tied ? [] : lineOf(windows.weights.buckets, 'step', 1, costing)),
  ]
}

/** A bucket's time is shared among the arrays in it by their bytes. */
function lineOf(
  buckets: readonly Bucket[],
  pass: CollectiveLine['pass'],
  count: number,
  { costs, scale, candidate, model }: Costing,
): readonly CollectiveLine[] {
  return buckets.flatMap((bucket) => {
    const cost = costs[costSet(bucket.over, costs, candidate.mesh)]
    if (!cost || count === 0) return []
    const whole = bucketBytes(bucket, scale)
    const seconds = bucketTime(bucket, whole, cost, model.problem.assumptions, model.problem.model.experts)
    return bucket.moves.map((move, index): CollectiveLine => {
      const term = bucket.bytes[index]
      const bytes = term ? termValue(term, scale) : 0
      return {
        op: bucket.operation,
        over: axesOf(bucket.over).join(' x '),
        array: move.from,
        bytes,
        count,
        seconds: (seconds * count * bytes) / whole,
        exposed: bucket.critical,
        pass,
      }
    })
  })
}

/** Prices are kept by the general layout's axes: find the set that has these, and beyond them only axes of size 1. */
export function costSet(over: AxisSet, costs: NetworkCosts, mesh: Mesh): AxisSet {
  const active = axisSet(activeAxes(mesh))
  return costs.findIndex((cost, set) => cost !== undefined && (set & active) === over)
}

function transferLines({ candidate, costs, layers, model, scale }: Costing): readonly CollectiveLine[] {
  const cost = costs[axisBit.pipeline]
  if (!cost) return []
  const bytes = termValue(model.boundary, scale)
  const time = collectiveTime(bytes, cost.permutePerByte, cost.permuteLatency, cost.latencyIsFloor)
  const count = layers.microbatches * candidate.schedule.virtualStages
  return (['forward', 'backward'] as const).map((pass) => ({
    op: 'Permute',
    over: 'pipeline',
    array: pass === 'forward' ? 'Out' : 'dOut',
    bytes,
    count,
    seconds: time * count,
    exposed: false,
    pass,
  }))
}

/** Lines that say the same of several components or policies become one. */
function merged(lines: readonly CollectiveLine[]): readonly CollectiveLine[] {
  const byKey = new Map<string, CollectiveLine>()
  for (const line of lines) {
    const key = `${line.op} ${line.over} ${line.array} ${line.pass} ${line.bytes}`
    const known = byKey.get(key)
    const sum = known ? { count: known.count + line.count, seconds: known.seconds + line.seconds } : {}
    byKey.set(key, { ...line, ...sum })
  }
  return [...byKey.values()]
}
