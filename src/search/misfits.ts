/**
 * Searches a space in which nothing fits by memory alone: what each layout counts as, and which is short of the least. It answers what
 * `search` would, without the times, floors and placements that are of no use where there is nothing to rank.
 */

import { createScale, type Scale } from '../cost/compile/term.ts'
import type { MemoryNumbers } from '../cost/memory/layer-bytes.ts'
import { leastShortBytes } from '../cost/memory/remat.ts'
import type { CostModel } from '../cost/model.ts'
import { canBePlaced } from '../hardware/network/placement.ts'
import { never, type Stop } from '../patience.ts'
import { type Mesh, meshKey } from '../sharding/axis.ts'
import type { Bytes } from '../units.ts'
import { addCounts } from './best-first.ts'
import { meshFloors } from './bound/floor.ts'
import type { Layout, Misfit } from './layouts/candidate.ts'
import { layoutCount } from './layouts/choices.ts'
import { leanestMix } from './layouts/consider.ts'
import { everyLean, type LeanLayout, meshShortBytes } from './layouts/lean-layouts.ts'
import { misfitCounts } from './layouts/misfit-counts.ts'
import type { Meshes } from './meshes/meshes.ts'
import { meshesOf } from './meshes/of-context-layout.ts'
import { nothingSearched, type SearchResult } from './search-result.ts'
import { nearing, walkCuts } from './stages/stage-cuts.ts'
import { type Counts, noCounts, tallyOf } from './tally.ts'

/** Null when something fits after all, or when it is told to stop. */
export function misfits(models: readonly CostModel[], stop: Stop = never): SearchResult | null {
  const found: Shortage = { least: [], ...noCounts() }
  const spaces = models.map((model) => ({ model, meshes: meshesOf(model) }))
  if (spaces.some(({ meshes }) => meshes.unseen > 0)) return null
  const scale = createScale()
  const turns = spaces.flatMap(({ model, meshes }) => floored(model, meshes, scale, found, stop))
  if (stop()) return null
  for (const { model, mesh, floor } of turns.sort((a, b) => a.floor - b.floor)) {
    const over = () => overLeast(found, model.problem.memoryBudget)
    if (stop()) return null
    if (floor > over()) break
    if (!everyLean(model, mesh, scale, over, (lean) => isShort(model, lean, found))) return null
  }
  const { least, ...counts } = found
  return {
    ...nothingSearched,
    ...tallyOf(counts, Number.POSITIVE_INFINITY),
    nearest: soonest(models, least),
  }
}

interface Shortage extends Counts {
  /** The layouts that are short of the least so far; several when meshes or context layouts are equally short. */
  least: readonly Misfit[]
}

/** A mesh that can be placed, and bytes over the budget that none of its layouts is under. */
interface Floored {
  readonly model: CostModel
  readonly mesh: Mesh
  readonly floor: Bytes
}

/** The meshes of a model that can be placed; all others are counted. */
function floored(
  model: CostModel,
  meshes: Meshes,
  scale: Scale,
  found: Shortage,
  stop: Stop,
): readonly Floored[] {
  const { problem } = model
  found.divisibility += meshes.indivisible
  found.constraint += meshes.constrained
  return meshes.allowed.flatMap((mesh) => {
    if (stop()) return []
    if (!canBePlaced(problem.cluster.network, mesh)) {
      found.topology += layoutCount(mesh, problem)
      return []
    }
    addCounts(found, misfitCounts(model, mesh))
    return [{ model, mesh, floor: meshShortBytes(model, mesh, scale) }]
  })
}

/** Keeps the cuts of a layout that are short of the least so far; false when one fits. */
function isShort(model: CostModel, { layout, cuts, memory }: LeanLayout, found: Shortage): boolean {
  const { memoryBudget } = model.problem
  let none = true
  walkCuts(cuts, (cut) => {
    const over = overLeast(found, memoryBudget)
    const short = leastShortBytes(memory, cut.groups(), memoryBudget, over)
    if (short <= 0) none = false
    else if (short <= over) {
      nearer({ ...layout, stageLayers: cut.stageLayers, groups: cut.groups() }, memory, memoryBudget, found)
    }
    if (!none) return { fewer: false, more: false }
    return nearing(cuts, cut, memory, memoryBudget, overLeast(found, memoryBudget))
  })
  return none
}

/** What is over the budget by more than the least so far, but for rounding, is not nearer. */
function overLeast({ least }: Shortage, memoryBudget: Bytes): Bytes {
  return Math.max(0, (least[0]?.shortBytes ?? Number.POSITIVE_INFINITY) + 1e-9 * memoryBudget)
}

function nearer(layout: Layout, memory: MemoryNumbers, budget: Bytes, found: Shortage): void {
  const misfit = leanestMix(memory, layout, budget)
  const [first] = found.least
  if (!first || misfit.shortBytes < first.shortBytes) {
    found.least = [misfit]
    return
  }
  const { mesh, contextLayout } = layout
  const known = found.least.some((other) => other.mesh === mesh && other.contextLayout === contextLayout)
  if (misfit.shortBytes === first.shortBytes && !known) found.least = [...found.least, misfit]
}

/** The one that the search would come to first, of several that are equally short. */
function soonest(models: readonly CostModel[], least: readonly Misfit[]): Misfit | null {
  if (least.length < 2) return least[0] ?? null
  const scale = createScale()
  const floors = models.map((model) => meshFloors(model))
  const order = least.map((misfit) => {
    const space = models.findIndex(({ contextLayout }) => contextLayout === misfit.contextLayout)
    return { misfit, space, floor: floors[space]?.of(misfit.mesh, scale) ?? 0 }
  })
  const [first] = order.sort(
    (a, b) =>
      a.floor - b.floor || a.space - b.space || (meshKey(a.misfit.mesh) < meshKey(b.misfit.mesh) ? -1 : 1),
  )
  return first?.misfit ?? null
}
