/**
 * Searches a space in which nothing fits by memory alone: what each layout counts as, and which is short of the least. It answers what
 * `search` would, without the times, floors and placements that are of no use where there is nothing to rank.
 */

import { createScale, type Scale, setBatch, setMesh } from '../cost/compile/term.ts'
import type { MemoryNumbers } from '../cost/memory/layer-bytes.ts'
import { memoryNumbers } from '../cost/memory/memory-numbers.ts'
import { leastShortBytes } from '../cost/memory/remat.ts'
import { type CostModel, stageModel } from '../cost/model.ts'
import { computeNumbers } from '../cost/step/microbatch.ts'
import { canBePlaced } from '../hardware/network/placement.ts'
import { never, type Stop } from '../patience.ts'
import { type Mesh, meshKey } from '../sharding/axis.ts'
import type { Bytes } from '../units.ts'
import { meshFloors } from './bound/floor.ts'
import { layoutShortBytes } from './bound/layout-floor.ts'
import type { Layout, Misfit, OpenLayout } from './layouts/candidate.ts'
import {
  choiceAllowed,
  layoutCount,
  microbatchChoices,
  scheduleChoices,
  zeroChoices,
} from './layouts/choices.ts'
import { leanestMix } from './layouts/consider.ts'
import { bySharding } from './meshes/meshes.ts'
import { meshesOf } from './meshes/of-context-layout.ts'
import { nothingSearched, type SearchResult } from './search-result.ts'
import { nearing, type StageCuts, stageCuts, walkCuts } from './stages/stage-cuts.ts'
import { type Counts, noCounts, tallyOf } from './tally.ts'

/** Null when something fits after all, or when it is told to stop. */
export function misfits(models: readonly CostModel[], stop: Stop = never): SearchResult | null {
  const found: Shortage = { least: [], ...noCounts() }
  if (!models.every((model) => shortOf(model, found, stop))) return null
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

/** False when a layout fits. */
function shortOf(model: CostModel, found: Shortage, stop: Stop): boolean {
  const { problem } = model
  const scale = createScale()
  const meshes = meshesOf(model)
  if (meshes.unseen > 0) return false
  found.divisibility += meshes.indivisible
  found.constraint += meshes.constrained
  // In this order those that are far from fitting are dropped at once.
  return bySharding(meshes.allowed).every((mesh) => {
    if (stop()) return false
    if (canBePlaced(problem.cluster.network, mesh)) return shortOn(model, mesh, scale, found)
    found.topology += layoutCount(mesh, problem)
    return true
  })
}

/** False when a layout of the mesh fits. */
function shortOn(model: CostModel, mesh: Mesh, scale: Scale, found: Shortage): boolean {
  const { problem, contextLayout } = model
  const { assumptions } = problem
  setMesh(scale, mesh, model.extents, assumptions)
  for (const microbatching of microbatchChoices(mesh, problem)) {
    setBatch(scale, microbatching.sequences)
    const { microbatches } = microbatching
    const compute = computeNumbers(model, scale)
    const stages = zeroChoices(mesh, problem).map((zeroStage) => ({
      zeroStage,
      memory: memoryNumbers(model, stageModel(model, zeroStage), scale),
    }))
    for (const schedule of scheduleChoices(mesh, problem, microbatches)) {
      const allowed = stages.filter(({ zeroStage }) =>
        choiceAllowed(problem.constraints, zeroStage, microbatches, schedule),
      )
      found.constraint += stages.length - allowed.length
      const cuts = stageCuts(model, mesh.pipeline, schedule, microbatches, compute)
      if (!cuts) {
        found.divisibility += allowed.length
        continue
      }
      for (const { zeroStage, memory } of allowed) {
        const { cluster } = problem
        const open: OpenLayout = { cluster, mesh, zeroStage, contextLayout, ...microbatching, schedule }
        if (!shortBy(model, open, cuts, memory, found)) return false
        found.memory++
      }
    }
  }
  return true
}

/** False when a cut of the layout fits. */
function shortBy(
  model: CostModel,
  open: OpenLayout,
  cuts: StageCuts,
  memory: MemoryNumbers,
  found: Shortage,
): boolean {
  const { problem } = model
  const { memoryBudget } = problem
  const over = () => (found.least[0]?.shortBytes ?? Number.POSITIVE_INFINITY) + 1e-9 * memoryBudget
  if (cuts.kind === 'unlike') {
    const short = layoutShortBytes(model, open, memory)
    if (short > 0 && short > over()) return true
  }
  let none = true
  walkCuts(cuts, (cut) => {
    const short = leastShortBytes(memory, cut.groups(), memoryBudget, Math.max(0, over()))
    if (short <= 0) none = false
    else if (short <= over()) {
      nearer({ ...open, stageLayers: cut.stageLayers, groups: cut.groups() }, memory, memoryBudget, found)
    }
    return none ? nearing(cuts, cut, memory, memoryBudget, over()) : { fewer: false, more: false }
  })
  return none
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
