/**
 * The best plan of each group that counts as the same (a mesh, or a family of meshes: distinct.ts), and the best `top` of those, exactly.
 *
 * Meshes are searched best first (best-first.ts), by their floors (bound/floor.ts). Every layout is accounted for: enumerated =
 * pruned + evaluated + infeasible + unexamined, by reason.
 */

import { createScale, type Scale } from '../cost/compile/term.ts'
import type { CostModel } from '../cost/model.ts'
import { createStepScratch } from '../cost/step/stage-time.ts'
import { alone, type Crew } from '../crew.ts'
import { never, type Stop } from '../patience.ts'
import { addCounts, bestFirst, type Looked } from './best-first.ts'
import { meshFloors } from './bound/floor.ts'
import type { KnownBefore } from './bound/known-before.ts'
import { meshKeyOf, usualDistinct } from './distinct.ts'
import { meshFits } from './fits.ts'
import type { Accepts, Candidate, Misfit } from './layouts/candidate.ts'
import type { Workbench } from './layouts/consider.ts'
import { expandMesh } from './layouts/expand.ts'
import { mayList } from './layouts/open-layouts.ts'
import {
  countOf,
  expanded,
  listedAs,
  type MeshPlace,
  type MeshTurn,
  orderedMeshes,
  placesOf,
  type Space,
} from './mesh-turns.ts'
import { bySharding, type Meshes } from './meshes/meshes.ts'
import { meshesOf } from './meshes/of-context-layout.ts'
import { noneRefused, type Refused, refusedBeside } from './refused.ts'
import { byScore, type Listed, type SearchResult } from './search-result.ts'
import { tallyOf } from './tally.ts'

/** Searches that follow one another may share a scale. */
export function createWorkbench(
  model: CostModel,
  accepts: Accepts | null = null,
  stop: Stop = never,
  scale: Scale = createScale(),
): Workbench {
  return { model, scale, scratch: createStepScratch(model.resources), accepts, stop }
}

/** `shared` with spaces of the same model on other chips. */
export function spaceOf(bench: Workbench, among?: Meshes, shared?: KnownBefore): Space {
  const { model } = bench
  return { bench, meshes: meshesOf(model, among), floors: meshFloors(model, shared) }
}

/** Whether any plan is accepted; the meshes that shard most are tried first. False when it is told to stop before one was found. */
export function anyAccepted(model: CostModel, accepts: Accepts, stop: Stop): boolean {
  const bench = createWorkbench(model, accepts, stop)
  return bySharding(meshesOf(model).allowed).some((mesh) => {
    // Memory alone is asked much sooner than times.
    if (stop() || !accepts.mesh(mesh) || !meshFits(model, mesh, bench.scale)) return false
    return expandMesh(bench, mesh, Number.POSITIVE_INFINITY, { nearest: false }).best !== null
  })
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
  const accepted: MeshPlace[] = []
  const others: MeshPlace[] = []
  for (const place of placesOf(spaces)) {
    // Where the misfit nearest to fitting is looked for, it may be of a layout that nobody launches.
    if (mayList(place.bench, place.mesh, { layouts: fits })) accepted.push(place)
    else others.push(place)
  }
  const { turns, counts, floor } = orderedMeshes(accepted, most, late, crew)
  for (const place of others) counts.constraint += countOf(place)
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
  const unseen = spaces.reduce((sum, { meshes }) => sum + meshes.unseen, 0)
  return {
    ...tallyOf(counts, unseen > 0 ? 0 : Math.min(floor, found.floor), unseen),
    candidates: found.list.map(({ candidate }) => candidate),
    nearest,
    refused: refused
      ? refusedBeside(turns, others, best / (1 + advantage), refused, crew)
      : () => noneRefused,
  }
}

interface Seen extends Looked<Listed> {
  readonly nearest?: Misfit | null
}

function restored({ candidate, ...listed }: Listed, turn: MeshTurn): Listed {
  return { ...listed, candidate: { ...candidate, ...knownOf(turn) } }
}

/** What a candidate gets from the turn in which it was found. */
function knownOf({ bench, mesh }: MeshTurn): Pick<Candidate, 'cluster' | 'mesh'> {
  return { cluster: bench.model.problem.cluster, mesh }
}

const noLimit = Number.POSITIVE_INFINITY
