/**
 * The best plan of each mesh, and of those the best `top`: exact.
 *
 * Meshes are taken in the order of their floors (floor.ts); once the floor of the next is over the score of the last
 * plan that still makes the list, it and all after it are proven no better and are dropped. Every layout is accounted
 * for: enumerated = pruned + evaluated + infeasible + unexamined, by reason. Where the search is told to stop, what it has
 * not looked at is unexamined, and the least floor of it is under all that might have come.
 */

import { createScale } from '../cost/compile/term.ts'
import type { CostModel } from '../cost/model.ts'
import { createStepScratch } from '../cost/step/stage-time.ts'
import { never, type Stop } from '../patience.ts'
import type { Mesh } from '../sharding/axis.ts'
import { contextLayoutFits, plainContext } from '../sharding/tables/context-layout.ts'
import { type Floors, meshFloors } from './bound/floor.ts'
import type { Accepts, Misfit } from './candidate.ts'
import { layoutCount } from './choices.ts'
import type { Workbench } from './consider.ts'
import { expandMesh } from './expand.ts'
import { meshFits } from './fits.ts'
import { comes, compareKeys, insert, type Listed } from './listed.ts'
import { enumerateMeshes, type Meshes } from './meshes.ts'
import type { SearchResult } from './search-result.ts'
import { spread } from './spread.ts'

export function createWorkbench(
  model: CostModel,
  accepts: Accepts | null = null,
  stop: Stop = never,
): Workbench {
  return { model, scale: createScale(), scratch: createStepScratch(model.resources), accepts, stop }
}

/** The meshes of one cost model, and what they are searched with. */
export interface Space {
  readonly bench: Workbench
  readonly meshes: Meshes
}

export function spaceOf(
  model: CostModel,
  accepts: Accepts | null = null,
  stop: Stop = never,
  among: Meshes = enumerateMeshes(model.problem),
): Space {
  return { bench: createWorkbench(model, accepts, stop), meshes: meshesOf(model, among) }
}

/** Whether any plan is accepted; the meshes that shard most are tried first. False where it is told to stop before one was. */
export function anyAccepted(model: CostModel, accepts: Accepts, stop: Stop = never): boolean {
  const bench = createWorkbench(model, accepts, stop)
  const bySharding = [...meshesOf(model, enumerateMeshes(model.problem)).allowed].sort(
    (a, b) => a.data - b.data || b.context - a.context,
  )
  return bySharding.some((mesh) => {
    // Memory alone is much sooner asked than times.
    if (stop() || !accepts.mesh(mesh) || !meshFits(model, mesh, bench.scale)) return false
    return expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false }).best !== null
  })
}

/** Of plans that are not accepted none is wanted. */
export function search(model: CostModel, accepts: Accepts | null = null, stop: Stop = never): SearchResult {
  return searchSpaces([spaceOf(model, accepts, stop)], model.problem.top, stop)
}

export interface Wanted {
  /** Of plans worse than this none is. */
  readonly most?: number
  /** Once it is late to look for floors, the meshes that have one are searched. */
  readonly late?: Stop
  /** The best of all, where that is not accepted: looked for until this says to stop. */
  readonly refused?: Stop
}

/** Of each mesh the best of all spaces, and of those the best. */
export function searchSpaces(
  spaces: readonly Space[],
  top: number,
  stop: Stop,
  { most = Number.POSITIVE_INFINITY, late = stop, refused: stopRefused }: Wanted = {},
): SearchResult {
  // A mesh that was not listed is one layout at least.
  let unexamined = spaces.reduce((all, { meshes }) => all + meshes.unseen, 0)
  let lowest = unexamined > 0 ? 0 : Number.POSITIVE_INFINITY
  const ordered = spaces
    .flatMap(({ bench, meshes }, space) => {
      const floors = meshFloors(bench.model)
      return spread(meshes.allowed).flatMap((mesh) => {
        if (!late()) return { space, bench, mesh, floors, floor: floors.of(mesh, bench.scale) }
        unexamined += layoutCount(mesh, bench.model.problem)
        lowest = 0
        return []
      })
    })
    .sort((a, b) => a.floor - b.floor || a.space - b.space || compareKeys(a.mesh, b.mesh))
  const sum = (count: (meshes: Meshes) => number) =>
    spaces.reduce((total, { meshes }) => total + count(meshes), 0)
  const infeasible = {
    memory: 0,
    divisibility: sum(({ indivisible }) => indivisible),
    topology: 0,
    constraint: sum(({ constrained }) => constrained),
  }
  const candidates: Listed[] = []
  let nearest: Misfit | null = null
  let pruned = 0
  let evaluated = 0
  for (const { space, bench, mesh, floors, floor } of ordered) {
    const { accepts, model } = bench
    const limit = candidates.length < top ? most : (candidates.at(-1)?.candidate.score ?? 0)
    if (floor > limit) {
      pruned += layoutCount(mesh, model.problem)
      continue
    }
    if (stop()) {
      unexamined += layoutCount(mesh, model.problem)
      lowest = Math.min(lowest, floor)
      continue
    }
    if (accepts && !accepts.mesh(mesh)) {
      infeasible.constraint += layoutCount(mesh, model.problem)
      continue
    }
    if (!mayBeWithin(limit, floors, mesh, bench)) {
      pruned += layoutCount(mesh, model.problem)
      continue
    }
    // What comes nearest is of interest only where nothing fits.
    const nothing = candidates.length === 0 && most === Number.POSITIVE_INFINITY
    const within = floors.within(mesh, bench.scale)
    const found = expandMesh(bench, mesh, limit, { nearest: nothing, floor: within })
    pruned += found.pruned
    evaluated += found.evaluated
    infeasible.memory += found.memory
    infeasible.divisibility += found.divisibility
    infeasible.topology += found.topology
    infeasible.constraint += found.constraint
    unexamined += found.unexamined
    if (found.unexamined > 0) lowest = Math.min(lowest, floor)
    if (found.nearest && (!nearest || found.nearest.shortBytes < nearest.shortBytes)) nearest = found.nearest
    if (found.best && found.best.score <= limit) insert(candidates, { candidate: found.best, space }, top)
  }
  const { memory, divisibility, topology, constraint } = infeasible
  const enumerated = pruned + evaluated + memory + divisibility + topology + constraint + unexamined
  const best = Math.min(most, candidates[0]?.candidate.score ?? most)
  return {
    candidates: candidates.map(({ candidate }) => candidate),
    ...(stopRefused ? bestRefused(ordered, best, stopRefused) : noneRefused),
    nearest,
    enumerated,
    pruned,
    evaluated,
    infeasible,
    unexamined,
    floor: lowest,
  }
}

/** A mesh in the order in which it is come to. */
interface Turn {
  readonly space: number
  readonly bench: Workbench
  readonly mesh: Mesh
  readonly floors: Floors
  readonly floor: number
}

const noneRefused = { refused: null, unsought: 0 } as const

/** The best of what is better than all that is accepted: the same meshes in the same order, whatever is accepted. */
function bestRefused(
  ordered: readonly Turn[],
  accepted: number,
  stop: Stop,
): Pick<SearchResult, 'refused' | 'unsought'> {
  let refused: Listed | null = null
  let unsought = 0
  for (const { space, bench, mesh, floors, floor } of ordered) {
    const limit: number = Math.min(accepted, refused?.candidate.score ?? accepted)
    if (!bench.accepts) continue
    if (floor > limit) break
    if (!mayBeWithin(limit, floors, mesh, bench)) continue
    const all = { ...bench, accepts: null, stop }
    const choices = { nearest: false, floor: floors.within(mesh, bench.scale) }
    const found = stop() ? null : expandMesh(all, mesh, limit, choices)
    unsought += found ? found.unexamined : layoutCount(mesh, bench.model.problem)
    if (!found?.best || found.best.score >= accepted) continue
    const listed: Listed = { candidate: found.best, space }
    if (!refused || comes(listed, refused)) refused = listed
  }
  return { refused: refused?.candidate ?? null, unsought }
}

/** Without a limit all is. */
function mayBeWithin(limit: number, floors: Floors, mesh: Mesh, { scale }: Workbench): boolean {
  return limit === Number.POSITIVE_INFINITY || floors.hopeful(mesh, scale, limit)
}

/** Layouts of context other than the first are only tried where there is such an axis, and count for themselves. */
export function meshesOf(
  { problem, contextLayout }: CostModel,
  meshes: Meshes = enumerateMeshes(problem),
): Meshes {
  if (contextLayout === plainContext) return meshes
  const allowed = meshes.allowed.filter((mesh) => contextLayoutFits(contextLayout, mesh, problem.model))
  return { total: allowed.length, allowed, constrained: 0, indivisible: 0, unseen: 0 }
}
