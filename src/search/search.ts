/**
 * The best plan of each mesh, and of those the best `top`: exact.
 *
 * Meshes are taken in the order of their floors (floor.ts); once the floor of the next is over the score of the last
 * plan that still makes the list, it and all after it are proven no better and are dropped. Every layout is accounted
 * for: enumerated = pruned + evaluated + infeasible, by reason.
 */
import type { CostModel } from '../cost/model.ts'
import { createStepScratch } from '../cost/stage-time.ts'
import { createScale } from '../cost/term.ts'
import type { Mesh } from '../sharding/axis.ts'
import { contextLayoutFits } from '../sharding/context-layout.ts'
import { type Accepts, type Candidate, type Misfit, meshKey } from './candidate.ts'
import { layoutCount } from './choices.ts'
import type { Workbench } from './consider.ts'
import { expandMesh } from './expand.ts'
import { meshFloors } from './floor.ts'
import { enumerateMeshes, type Meshes } from './meshes.ts'

export interface SearchResult {
  readonly candidates: readonly Candidate[]
  /** The leanest layout, where nothing fits. */
  readonly nearest: Misfit | null
  readonly enumerated: number
  readonly pruned: number
  readonly evaluated: number
  readonly infeasible: { memory: number; divisibility: number; topology: number; constraint: number }
}

export function createWorkbench(model: CostModel, accepts: Accepts | null = null): Workbench {
  return { model, scale: createScale(), scratch: createStepScratch(model.resources), accepts }
}

/** Of plans worse than `most` none is wanted, nor of those that are not accepted. */
export function search(
  model: CostModel,
  most = Number.POSITIVE_INFINITY,
  accepts: Accepts | null = null,
  top = model.problem.top,
): SearchResult {
  const { problem } = model
  const bench = createWorkbench(model, accepts)
  const meshes = meshesOf(model)
  const floors = meshFloors(model)
  const ordered = meshes.allowed
    .map((mesh) => ({ mesh, floor: floors.of(mesh, bench.scale) }))
    .sort((a, b) => a.floor - b.floor || compareKeys(a.mesh, b.mesh))
  const infeasible = {
    memory: 0,
    divisibility: meshes.indivisible,
    topology: 0,
    constraint: meshes.constrained,
  }
  const candidates: Candidate[] = []
  let nearest: Misfit | null = null
  let pruned = 0
  let evaluated = 0
  for (const { mesh, floor } of ordered) {
    const limit = candidates.length < top ? most : (candidates.at(-1)?.score ?? 0)
    if (floor > limit) {
      pruned += layoutCount(mesh, problem)
      continue
    }
    if (accepts && !accepts.mesh(mesh)) {
      infeasible.constraint += layoutCount(mesh, problem)
      continue
    }
    // What comes nearest is of interest only where nothing fits.
    const nothing = candidates.length === 0 && most === Number.POSITIVE_INFINITY
    const found = expandMesh(bench, mesh, limit, { nearest: nothing })
    pruned += found.pruned
    evaluated += found.evaluated
    infeasible.memory += found.memory
    infeasible.divisibility += found.divisibility
    infeasible.topology += found.topology
    infeasible.constraint += found.constraint
    if (found.nearest && (!nearest || found.nearest.shortBytes < nearest.shortBytes)) nearest = found.nearest
    if (found.best && found.best.score <= limit) insert(candidates, found.best, top)
  }
  const { memory, divisibility, topology, constraint } = infeasible
  const enumerated = pruned + evaluated + memory + divisibility + topology + constraint
  return { candidates, nearest, enumerated, pruned, evaluated, infeasible }
}

/** Whether any plan is accepted; the meshes that shard most are tried first. */
export function anyAccepted(model: CostModel, accepts: Accepts): boolean {
  const bench = createWorkbench(model, accepts)
  const bySharding = [...meshesOf(model).allowed].sort((a, b) => a.data - b.data || b.context - a.context)
  return bySharding.some((mesh) => {
    if (!accepts.mesh(mesh)) return false
    return expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false }).best !== null
  })
}

/** Layouts of context other than the first are only tried where there is such an axis, and count for themselves. */
function meshesOf({ problem, contextLayout }: CostModel): Meshes {
  const meshes = enumerateMeshes(problem)
  if (contextLayout === 'gather') return meshes
  const allowed = meshes.allowed.filter((mesh) => contextLayoutFits(contextLayout, mesh, problem.model))
  return { total: allowed.length, allowed, constrained: 0, indivisible: 0 }
}

/** The plans of searches that differ in the layout of context: of each mesh the best, and of those the best. */
export function merged(results: readonly SearchResult[], top: number): SearchResult {
  const candidates: Candidate[] = []
  for (const candidate of results
    .flatMap((result) => result.candidates)
    .sort((a, b) => (comes(a, b) ? -1 : 1))) {
    const known = candidates.some(({ mesh }) => compareKeys(mesh, candidate.mesh) === 0)
    if (!known && candidates.length < top) candidates.push(candidate)
  }
  const sum = (count: (result: SearchResult) => number) =>
    results.reduce((total, result) => total + count(result), 0)
  return {
    candidates,
    nearest: results
      .flatMap(({ nearest }) => nearest ?? [])
      .reduce<Misfit | null>(
        (least, one) => (least && least.shortBytes <= one.shortBytes ? least : one),
        null,
      ),
    enumerated: sum(({ enumerated }) => enumerated),
    pruned: sum(({ pruned }) => pruned),
    evaluated: sum(({ evaluated }) => evaluated),
    infeasible: {
      memory: sum(({ infeasible }) => infeasible.memory),
      divisibility: sum(({ infeasible }) => infeasible.divisibility),
      topology: sum(({ infeasible }) => infeasible.topology),
      constraint: sum(({ infeasible }) => infeasible.constraint),
    },
  }
}

function insert(candidates: Candidate[], candidate: Candidate, top: number): void {
  const at = candidates.findIndex((other) => comes(candidate, other))
  candidates.splice(at < 0 ? candidates.length : at, 0, candidate)
  if (candidates.length > top) candidates.pop()
}

function comes(a: Candidate, b: Candidate): boolean {
  return a.score < b.score || (a.score === b.score && compareKeys(a.mesh, b.mesh) < 0)
}

function compareKeys(a: Mesh, b: Mesh): number {
  const [left, right] = [meshKey(a), meshKey(b)]
  return left < right ? -1 : left > right ? 1 : 0
}
