/** The sites of a mesh, and the best candidate that is found on them: every placement, every pass, every layout of every component. */
import { type Placement, placements } from '../hardware/network/placement.ts'
import { known, once } from '../known.ts'
import type { Stop } from '../patience.ts'
import type { InferenceSketch } from '../plan-sketch.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { Seconds } from '../units.ts'
import { chosenOf, type Offered } from './layout/compiled-layout.ts'
import { offeredLayouts } from './layout/layout-question.ts'
import { setShards } from './layout/local-sizes.ts'
import type { InferenceModel } from './model.ts'
import { arrange, arrangedSeconds, leastSeconds } from './pass/arrangement.ts'
import type { Pass } from './pass/pass.ts'
import { settledIn } from './pass/settled.ts'
import type { InferenceCandidate, Phase, Site } from './phase.ts'
import type { Workbench } from './workbench.ts'

/** A bound on all placements of a mesh: the time if its groups lay as well as groups of their sizes can. */
export function optimisticSeconds(bench: Workbench, mesh: Mesh, pass: Pass, offered: Offered): Seconds {
  const best = bench.prices
    .bestCases(mesh)
    .map((costs) => arrangedSeconds(bench, { mesh, costs, offered }, pass))
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
    const own = known(scores, offered, () => new Map<Pass, number>())
    return known(own, pass, () => phase.score(pass, optimisticSeconds(bench, mesh, pass, offered)))
  }
  for (const site of sites) {
    if (stop()) break
    const taken = settledIn(bench, site)
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
  site: Site,
  pass: Pass,
  score: Phase['score'],
): InferenceCandidate | null {
  const arranged = arrange(bench, site, pass)
  if (!arranged) return null
  const { mesh, placement, costs, offered } = site
  const { questions, answer, seconds } = arranged
  const layouts = chosenOf(offered, answer.chosen)
  return {
    ...{ questions, answer, seconds, score: score(pass, seconds) },
    ...{ cluster: bench.setting.cluster, mesh, placement, costs, pass, layouts },
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

/** Its time, of the times of the passes in their order; Infinity where none fits. */
export function fastestSeconds(times: readonly Seconds[]): Seconds {
  let fastest = Number.POSITIVE_INFINITY
  for (const seconds of times) if (isLess(seconds, fastest)) fastest = seconds
  return fastest
}

/** Whether one comes first in a list: it scores less, or as much within rounding and is simpler. */
export function comes(a: InferenceCandidate, b: InferenceCandidate): boolean {
  if (isLess(a.score, b.score) || isLess(b.score, a.score)) return a.score < b.score
  return simplicity(a) < simplicity(b)
}

/** Whether it is less by more than rounding. A score over a limit is Infinity, so that rounding is relative to the lesser. */
function isLess(score: number, other: number): boolean {
  return other - score > rounding * score
}

const rounding = 1e-12

/** The fewer mesh axes are in use the simpler, and tensor is simpler than tensor2. */
function simplicity({ mesh }: InferenceCandidate): number {
  return Object.values(mesh).filter((size) => size > 1).length + (mesh.tensor2 > 1 ? 1 / 2 : 0)
}
