/**
 * The best plan of each group that counts as the same (a mesh, or a family of meshes: distinct.ts), and the best `top` of those, exactly.
 *
 * Meshes are searched best first (best-first.ts), by their floors (bound/floor.ts). Every layout is accounted for: enumerated =
 * pruned + evaluated + infeasible + unexamined, by reason.
 */

import { createScale } from '../cost/compile/term.ts'
import type { CostModel } from '../cost/model.ts'
import { createStepScratch } from '../cost/step/stage-time.ts'
import { alone, type Crew } from '../crew.ts'
import { once } from '../known.ts'
import { never, type Stop } from '../patience.ts'
import type { Mesh } from '../sharding/axis.ts'
import { addCounts, bestFirst, type Looked, ordered, type Turn } from './best-first.ts'
import { type Floors, meshFloors } from './bound/floor.ts'
import type { OnAnyNetwork } from './bound/on-any-network.ts'
import { meshKeyOf, usualDistinct } from './distinct.ts'
import { meshFits } from './fits.ts'
import type { Accepts, Candidate, Misfit } from './layouts/candidate.ts'
import { layoutCount } from './layouts/choices.ts'
import type { Choices, Expansion, Workbench } from './layouts/consider.ts'
import { expandMesh } from './layouts/expand.ts'
import { enumerateMeshes, type Meshes } from './meshes/meshes.ts'
import { meshesOf } from './meshes/of-context-layout.ts'
import { byScore, compareKeys, type Listed, type SearchResult } from './search-result.ts'
import { spread } from './spread.ts'
import { tallyOf } from './tally.ts'

export function createWorkbench(
  model: CostModel,
  accepts: Accepts | null = null,
  stop: Stop = never,
): Workbench {
  return { model, scale: createScale(), scratch: createStepScratch(model.resources), accepts, stop }
}

/** The meshes of one cost model, and the workbench that they are searched with. */
export interface Space {
  readonly bench: Workbench
  readonly meshes: Meshes
  readonly floors: Floors
}

/** `shared` with spaces of the same model on other chips. */
export function spaceOf(bench: Workbench, among?: Meshes, shared?: OnAnyNetwork): Space {
  const { model } = bench
  return { bench, meshes: meshesOf(model, among), floors: meshFloors(model, shared) }
}

/** Whether any plan is accepted; the meshes that shard most are tried first. False when it is told to stop before one was found. */
export function anyAccepted(model: CostModel, accepts: Accepts, stop: Stop): boolean {
  const bench = createWorkbench(model, accepts, stop)
  const bySharding = [...meshesOf(model, enumerateMeshes(model.problem)).allowed].sort(
    (a, b) => a.data - b.data || b.context - a.context,
  )
  return bySharding.some((mesh) => {
    // Memory alone is asked much sooner than times.
    if (stop() || !accepts.mesh(mesh) || !meshFits(model, mesh, bench.scale)) return false
    return expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false }).best !== null
  })
}

/** Searches one cost model; plans that are not accepted are not listed. */
export function search(model: CostModel, accepts: Accepts | null = null, stop: Stop = never): SearchResult {
  return searchSpaces([spaceOf(createWorkbench(model, accepts, stop))], model.problem.top, stop)
}

export interface Wanted {
  /** No plan that scores worse than this is wanted. */
  readonly most?: number
  /** Something is known to fit, so that the misfit nearest to fitting is of no interest. */
  readonly fits?: boolean
  /** When to stop computing floors: from then on only the meshes that have one are searched. */
  readonly late?: Stop
  /** Looks for the best plan of all when that is not accepted, until this says to stop. */
  readonly refused?: Stop | null
  /** How much longer the best accepted step has to be, as a share, for that plan to be of interest. */
  readonly advantage?: number
  readonly crew?: Crew
}

/** The best of the plans that are better than all accepted ones, if it is of interest, and how much was not looked at for it. */
export interface Refused {
  readonly refused: Candidate | null
  readonly unsought: number
}

export interface SpacesSearch extends SearchResult {
  readonly refused: () => Refused
}

/** For each group of plans that count as the same, the best over all spaces; and the best of those. */
export function searchSpaces(
  spaces: readonly Space[],
  top: number,
  stop: Stop,
  { most = noLimit, fits = false, late = stop, refused, advantage = 0, crew = alone }: Wanted = {},
): SpacesSearch {
  const { turns, counts, floor } = orderedMeshes(spaces, most, late, crew)
  for (const { meshes } of spaces) {
    counts.divisibility += meshes.indivisible
    counts.constraint += meshes.constrained
    // A mesh that was not listed counts as at least one layout.
    counts.unexamined += meshes.unseen
  }
  let nearest: Misfit | null = null
  const distinct = spaces[0]?.bench.model.problem.distinct ?? usualDistinct
  const key = meshKeyOf(distinct)
  const found = bestFirst<MeshTurn, Listed, Seen>({
    ...{ turns, count: countOf, order: byScore(distinct), top, most, stop, crew },
    kind: key && { ofTurn: ({ mesh }) => key(mesh), ofListed: ({ candidate }) => key(candidate.mesh) },
    look: (turn, limit, none) => {
      const { accepts } = turn.bench
      if (accepts && !accepts.mesh(turn.mesh)) return { best: null, constraint: countOf(turn) }
      // The misfit nearest to fitting is of interest only where nothing fits.
      const others: Listed[] = []
      const each = (candidate: Candidate) => others.push(listedAs(turn, candidate))
      const looked = expanded(turn, turn.bench, limit, {
        nearest: !fits && none && most === noLimit,
        ...(key ? {} : { each }),
      })
      if (!looked) return { best: null, pruned: countOf(turn) }
      return { ...looked, others, best: looked.best && listedAs(turn, looked.best) }
    },
    note: (seen) => {
      if (seen.nearest && (!nearest || seen.nearest.shortBytes < nearest.shortBytes)) nearest = seen.nearest
    },
    restored: (seen, turn) => ({
      ...seen,
      best: seen.best && restored(seen.best, turn),
      ...(seen.others ? { others: seen.others.map((one) => restored(one, turn)) } : {}),
      nearest: seen.nearest ? { ...seen.nearest, ...knownOf(turn) } : null,
    }),
  })
  addCounts(counts, found.counts)
  const best = Math.min(most, found.list[0]?.score ?? most)
  const unseen = spaces.some(({ meshes }) => meshes.unseen > 0)
  return {
    ...tallyOf(counts, unseen ? 0 : Math.min(floor, found.floor)),
    candidates: found.list.map(({ candidate }) => candidate),
    nearest,
    refused: refused ? refusedBeside(turns, best / (1 + advantage), refused, crew) : () => noneRefused,
  }
}

interface Seen extends Looked<Listed> {
  readonly nearest?: Misfit | null
}

/** Meshes of all spaces by their floors, of which each is had for itself: those last that are not within what is wanted at most. */
function orderedMeshes(spaces: readonly Space[], most: number, late: Stop, crew: Crew) {
  const places = spaces.flatMap(({ bench, meshes, floors }, space) =>
    spread(meshes.allowed).map((mesh) => ({ space, bench, mesh, floors })),
  )
  return ordered<Omit<MeshTurn, 'floor'>, MeshTurn, number>(
    {
      places,
      look: ({ floors, mesh, bench: { scale } }) => {
        if (most !== noLimit && !floors.hopeful(mesh, scale, most)) return noLimit
        return floors.of(mesh, scale)
      },
      turnOf: ({ space, bench, mesh, floors }, floor) => ({ space, bench, mesh, floors, floor }),
      count: countOf,
      compare: (a, b) => a.space - b.space || compareKeys(a.mesh, b.mesh),
      most,
    },
    late,
    crew,
  )
}

function countOf({ bench, mesh }: Pick<MeshTurn, 'bench' | 'mesh'>): number {
  return layoutCount(mesh, bench.model.problem)
}

interface MeshTurn extends Turn {
  readonly space: number
  readonly bench: Workbench
  readonly mesh: Mesh
  readonly floors: Floors
}

/**
 * Null where it is proven that nothing of the mesh is within the limit and fits. Without a limit all is looked at, as where there are
 * fewer plans than places what is told of the others is why each cannot run: floors are asked once something is found.
 */
function expanded(
  { mesh, floors }: MeshTurn,
  bench: Workbench,
  limit: number,
  choices: Choices,
): Expansion | null {
  const within = once(() => floors.within(mesh, bench.scale, limit))
  if (limit !== noLimit && !within()) return null
  return expandMesh(bench, mesh, limit, {
    ...choices,
    floor: (...choice) => within()?.(...choice) ?? noLimit,
  })
}

function listedAs({ space }: MeshTurn, candidate: Candidate): Listed {
  return { score: candidate.score, candidate, space }
}

function restored({ candidate, ...listed }: Listed, turn: MeshTurn): Listed {
  return { ...listed, candidate: { ...candidate, ...knownOf(turn) } }
}

/** What a candidate gets from the turn in which it was found. */
function knownOf({ bench, mesh }: MeshTurn): Pick<Candidate, 'cluster' | 'mesh'> {
  return { cluster: bench.model.problem.cluster, mesh }
}

const noLimit = Number.POSITIVE_INFINITY

export const noneRefused: Refused = { refused: null, unsought: 0 }

/** The same meshes in the same order, with everything accepted, for what scores less than `most`. */
function refusedBeside(
  all: readonly MeshTurn[],
  most: number,
  stop: Stop,
  crew: Crew,
): SpacesSearch['refused'] {
  const turns = all.filter(({ bench, floor }) => bench.accepts && floor <= most)
  const work = (): Refused => {
    const { list, counts } = bestFirst<MeshTurn, Listed, Looked<Listed>>({
      ...{ turns, count: countOf, order: byScore(usualDistinct), top: 1, most, stop },
      look: (turn, limit) => {
        const looked = expanded(turn, { ...turn.bench, accepts: null, stop }, limit, { nearest: false })
        const best = looked?.best ? listedAs(turn, looked.best) : null
        return looked ? { unexamined: looked.unexamined, best } : { best }
      },
    })
    const [first] = list
    return {
      refused: first && first.score < most ? first.candidate : null,
      unsought: counts.unexamined,
    }
  }
  const cluster = all[0]?.bench.model.problem.cluster
  const restored = ({ refused, ...rest }: Refused): Refused => ({
    ...rest,
    refused: refused && cluster ? { ...refused, cluster } : null,
  })
  return crew.beside(work, { restored, stop })
}
