/**
 * The best arrangement of each mesh for one pass, and the best `top` of those, best first (search/best-first.ts): every mesh, every
 * placement, every layout of every component, except for meshes that are proven no better by their products alone. A pass may depend on
 * the mesh: how many sequences fit, how prompts go through a pipeline.
 */
import { never, type Stop } from '../patience.ts'
import type { Distinct } from '../problem.ts'
import { addCounts, bestFirst, type Kind, ordered, type Turn } from '../search/best-first.ts'
import { usualDistinct } from '../search/distinct.ts'
import type { Order } from '../search/listed.ts'
import type { Listing } from '../search/parts.ts'
import { spread } from '../search/spread.ts'
import { type Reason, tallyOf } from '../search/tally.ts'
import { familyKey, type Mesh } from '../sharding/axis.ts'
import { joinsTensors } from '../sharding/tables/inference-layout-fields.ts'
import type { Offered } from './layout/compiled-layout.ts'
import { chipsMayHold, weightsMayFit } from './pass/pass-numbers.ts'
import type { InferenceCandidate, Phase } from './phase.ts'
import { bestAt, candidatesAt, comes, sitesOf } from './sites.ts'

/** Whether there is any plan at all; the meshes that shard most are tried first. False when it is told to stop before one was found. */
export function anyCandidate(phase: Phase, stop: Stop): boolean {
  if (!chipsMayHold(phase.bench)) return false
  const bySharding = [...phase.meshes.allowed].sort((a, b) => a.data - b.data || a.pipeline - b.pipeline)
  return bySharding.some((mesh) => {
    if (stop() || !weightsMayFit(phase.bench, mesh)) return false
    // Memory, and a bound on all sites, are checked before any site is costed.
    const offers = phase.offers(mesh).filter((offered) => {
      return Number.isFinite(phase.lower(mesh, offered) ?? Number.POSITIVE_INFINITY)
    })
    return sitesOf(phase.bench, mesh, {}, offers).some(
      (site) => !stop() && candidatesAt(phase, site).some(({ score }) => Number.isFinite(score)),
    )
  })
}

export type InferenceResult = Listing<InferenceCandidate>

export interface Wanted {
  /** Only candidates that score no worse than this are wanted. */
  readonly most?: number
  readonly stop?: Stop
  /** When to stop computing floors: from then on only the meshes that have one are searched. */
  readonly late?: Stop
  /** What must differ between two listed plans; here plans that differ only in layout count as one mesh. */
  readonly distinct?: Distinct
}

/** A mesh in its turn, with those of its offers that may fit. */
interface MeshTurn extends Turn {
  readonly at: number
  readonly mesh: Mesh
  readonly offers: readonly Offered[]
}

/** Counts in the result are of meshes. */
export function searchPhase(
  phase: Phase,
  top: number,
  { most = Number.POSITIVE_INFINITY, stop = never, late = stop, distinct = usualDistinct }: Wanted = {},
): InferenceResult {
  const { meshes } = phase
  const count = () => 1
  const { turns, counts, floor } = ordered<readonly [number, Mesh], MeshTurn, MeshTurn | Reason>(
    {
      places: spread([...meshes.allowed.entries()]),
      look: ([at, mesh]) => turnOf(phase, mesh, at),
      turnOf: (_, told) => told,
      count,
      compare: (a, b) => a.at - b.at,
    },
    late,
  )
  counts.divisibility += meshes.indivisible
  counts.constraint += meshes.constrained
  counts.unexamined += meshes.unseen
  const found = bestFirst({
    ...{ turns, count, order: orderOf(distinct), top, most, stop },
    kind: distinct === 'family' ? ofFamily : null,
    look: ({ mesh, offers, floor }, limit) => {
      const sites = sitesOf(phase.bench, mesh, {}, offers)
      // Too late whatever the site, which counts as what does not fit.
      if (floor === Number.POSITIVE_INFINITY && sites.length > 0) return { best: null, memory: 1 }
      const best = bestAt(phase, sites, limit, stop)
      const listed = typeof best === 'object' && Number.isFinite(best.score) ? best : null
      if (stop()) return { best: listed, unexamined: 1 }
      if (best === 'pruned') return { best: listed, pruned: 1 }
      if (sites.length === 0) return { best: listed, topology: 1 }
      return best === 'infeasible' ? { best: listed, memory: 1 } : { best: listed, evaluated: 1 }
    },
  })
  addCounts(counts, found.counts)
  return {
    ...tallyOf(counts, meshes.unseen > 0 ? 0 : Math.min(floor, found.floor), meshes.unseen),
    candidates: found.list,
  }
}

function turnOf(phase: Phase, mesh: Mesh, at: number): MeshTurn | Reason {
  const all = phase.offers(mesh)
  const offers: Offered[] = []
  let floor = Number.POSITIVE_INFINITY
  for (const offered of all) {
    const lower = phase.lower(mesh, offered)
    if (lower === null) continue
    offers.push(offered)
    floor = Math.min(floor, lower)
  }
  if (offers.length > 0) return { at, mesh, offers, floor }
  return all.length > 0 ? 'memory' : 'constraint'
}

/** Whether two meshes have the same plan: no layout tells tensor from tensor2, and only their product counts. */
function isTwin(a: InferenceCandidate, b: InferenceCandidate): boolean {
  const joined = ({ mesh, pass }: InferenceCandidate) =>
    [mesh.data, mesh.expert, mesh.context, mesh.pipeline, pass.resident.sequences, pass.units].join()
  const alike = a.layouts.every(({ name }, component) => name === b.layouts[component]?.name)
  return alike && joined(a) === joined(b) && [a, b].every(({ layouts }) => layouts.every(joinsTensors))
}

export function orderOf(distinct: Distinct): Order<InferenceCandidate> {
  const family = distinct === 'family'
  return { same: (a, b) => isTwin(a, b) || (family && familyKey(a.mesh) === familyKey(b.mesh)), comes }
}

const ofFamily: Kind<MeshTurn, InferenceCandidate> = {
  ofTurn: ({ mesh }) => familyKey(mesh),
  ofListed: ({ mesh }) => familyKey(mesh),
}
