/**
 * The best arrangement of each mesh for one pass, and the best `top` of those, best first (search/best-first.ts): every mesh, every
 * placement, every layout of every component, except for meshes that are proven no better by their products alone. A pass may depend on
 * the mesh: how many sequences fit, how prompts go through a pipeline.
 */
import { type Placement, placements } from '../hardware/network/placement.ts'
import { once } from '../known.ts'
import { never, type Stop } from '../patience.ts'
import type { Distinct, InferenceSketch } from '../problem.ts'
import { addCounts, bestFirst, type Kind, ordered, type Turn } from '../search/best-first.ts'
import { usualDistinct } from '../search/distinct.ts'
import type { Order } from '../search/listed.ts'
import type { Listing } from '../search/parts.ts'
import { spread } from '../search/spread.ts'
import { type Reason, tallyOf } from '../search/tally.ts'
import { familyKey, type Mesh } from '../sharding/axis.ts'
import { joinsTensors } from '../sharding/tables/inference-layout-fields.ts'
import type { Seconds } from '../units.ts'
import { offeredLayouts } from './layout/layout-question.ts'
import { setShards } from './layout/local-term.ts'
import type { InferenceModel } from './model.ts'
import { arrange, leastSeconds } from './pass/arrangement.ts'
import type { Pass } from './pass/pass.ts'
import { weightsMayFit } from './pass/pass-numbers.ts'
import { type Settled, settledIn } from './pass/settled.ts'
import type { InferenceCandidate, Offered, Phase, Site } from './phase.ts'
import type { Workbench } from './workbench.ts'

/** Whether there is any plan at all; the meshes that shard most are tried first. False when it is told to stop before one was found. */
export function anyCandidate(phase: Phase, stop: Stop = never): boolean {
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
  const { turns, counts, floor } = ordered<readonly [number, Mesh], MeshTurn, null>(
    {
      places: spread([...meshes.allowed.entries()]),
      look: () => null,
      turnOf: ([at, mesh]) => turnOf(phase, mesh, at),
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
    look: ({ mesh, offers }, limit) => {
      const sites = sitesOf(phase.bench, mesh, {}, offers)
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
    ...tallyOf(counts, meshes.unseen > 0 ? 0 : Math.min(floor, found.floor)),
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

/** A bound on all placements of a mesh: the time if its groups lay as well as groups of their sizes can. */
export function optimisticSeconds(bench: Workbench, mesh: Mesh, pass: Pass, offered: Offered): Seconds {
  const best = bench.prices
    .bestCases(mesh)
    .map((costs) => arrange(bench, mesh, costs, pass, offered)?.seconds ?? Number.POSITIVE_INFINITY)
  return Math.min(...best) * (1 - rounding)
}

/** The best candidate of a mesh, or of what there was time for; 'pruned' where no pass on it can score as low as the limit. */
export function bestAt(
  phase: Phase,
  sites: readonly Site[],
  limit: number,
  stop: Stop,
): InferenceCandidate | 'infeasible' | 'pruned' {
  const { bench } = phase
  let best: { readonly score: number; readonly candidate: () => InferenceCandidate | null } | undefined
  let skipped = false
  const scores = new Map<Offered, Map<Pass, number>>()
  const lower = ({ mesh, offered }: Site, pass: Pass): number => {
    const known = scores.get(offered) ?? new Map<Pass, number>()
    const score = known.get(pass) ?? phase.score(pass, optimisticSeconds(bench, mesh, pass, offered))
    scores.set(offered, known.set(pass, score))
    return score
  }
  for (const site of sites) {
    if (stop()) break
    const taken = settledIn(bench, site.mesh, site.costs, site.offered)
    for (const pass of phase.passes(site)) {
      const least = phase.score(pass, leastSeconds(bench, site.mesh, pass, site.offered))
      const most = Math.min(limit, best?.score ?? limit)
      if (least > most || (sites.length > 2 && lower(site, pass) > most)) {
        skipped = true
        continue
      }
      const candidate = once(() => candidateOf(bench, site, pass, phase.score))
      const seconds = taken ? taken.seconds(pass) : (candidate()?.seconds ?? Number.POSITIVE_INFINITY)
      const score = phase.score(pass, seconds)
      if (Number.isFinite(seconds) && (!best || isLess(score, best.score))) best = { score, candidate }
    }
  }
  return best?.candidate() ?? (skipped ? 'pruned' : 'infeasible')
}

/** What a written plan fixes; nothing where there is no such plan. */
export interface Given extends Partial<Pick<InferenceSketch, 'layout'>> {
  readonly placements?: readonly Placement[]
}

export function sitesOf(
  model: InferenceModel,
  mesh: Mesh,
  given: Given = {},
  offers: readonly Offered[] = [offeredLayouts(model, mesh, given.layout)],
): readonly Site[] {
  const { network } = model.setting.cluster
  const places = (given.placements ?? placements(network, mesh)).map((placement) => ({
    mesh,
    placement,
    costs: model.prices.placed(placement, mesh),
  }))
  return offers.flatMap((offered) => places.map((place) => ({ ...place, offered })))
}

export function candidatesAt(phase: Phase, site: Site): readonly InferenceCandidate[] {
  const { bench } = phase
  setShards(bench.sizes, site.mesh)
  return phase.passes(site).flatMap((pass) => candidateOf(bench, site, pass, phase.score) ?? [])
}

/** Null where no layouts fit. */
export function candidateOf(
  bench: Workbench,
  { mesh, placement, costs, offered }: Site,
  pass: Pass,
  score: Phase['score'],
): InferenceCandidate | null {
  const arranged = arrange(bench, mesh, costs, pass, offered)
  if (!arranged) return null
  const layouts = arranged.answer.chosen.flatMap((option, component) => offered[component]?.[option] ?? [])
  const { cluster } = bench.setting
  const { question, answer, seconds } = arranged
  return {
    ...{ question, answer, seconds, score: score(pass, seconds) },
    ...{ cluster, mesh, placement, costs, pass, layouts },
  }
}

/** The fastest of several passes that fits. */
export function fastestOf(bench: Workbench, site: Site, passes: readonly Pass[]): InferenceCandidate | null {
  let fastest: InferenceCandidate | null = null
  for (const pass of passes) {
    const candidate = candidateOf(bench, site, pass, (_, seconds) => seconds)
    if (candidate && (!fastest || comes(candidate, fastest))) fastest = candidate
  }
  return fastest
}

/** Its time where each component has one layout; Infinity where none fits. */
export function fastestSeconds({ seconds }: Settled, passes: readonly Pass[]): Seconds {
  let fastest = Number.POSITIVE_INFINITY
  for (const pass of passes) {
    const own = seconds(pass)
    if (isLess(own, fastest)) fastest = own
  }
  return fastest
}

/** Whether two meshes have the same plan: no layout tells tensor from tensor2, and only their product counts. */
function isTwin(a: InferenceCandidate, b: InferenceCandidate): boolean {
  const joined = ({ mesh, pass }: InferenceCandidate) =>
    [mesh.data, mesh.expert, mesh.context, mesh.pipeline, pass.resident.sequences, pass.units].join()
  const alike = a.layouts.every(({ name }, component) => name === b.layouts[component]?.name)
  return alike && joined(a) === joined(b) && [a, b].every(({ layouts }) => layouts.every(joinsTensors))
}

/** Of candidates that score alike within rounding, the simpler one comes first. */
export function comes(a: InferenceCandidate, b: InferenceCandidate): boolean {
  if (isLess(a.score, b.score) || isLess(b.score, a.score)) return a.score < b.score
  return simplicity(a) < simplicity(b)
}

/** By more than rounding of the lesser: a score over a limit is Infinity. */
function isLess(score: number, other: number): boolean {
  return other - score > rounding * score
}

export function orderOf(distinct: Distinct): Order<InferenceCandidate> {
  const family = distinct === 'family'
  return { same: (a, b) => isTwin(a, b) || (family && isOfFamily(a, b)), comes }
}

const ofFamily: Kind<MeshTurn, InferenceCandidate> = {
  ofTurn: ({ mesh }) => familyKey(mesh),
  ofListed: ({ mesh }) => familyKey(mesh),
}

function isOfFamily(one: Pick<InferenceCandidate, 'mesh'>, other: Pick<InferenceCandidate, 'mesh'>): boolean {
  return familyKey(one.mesh) === familyKey(other.mesh)
}

const rounding = 1e-12

/** The fewer mesh axes are in use the simpler, and tensor is simpler than tensor2. */
function simplicity({ mesh }: InferenceCandidate): number {
  return Object.values(mesh).filter((size) => size > 1).length + (mesh.tensor2 > 1 ? 1 / 2 : 0)
}
