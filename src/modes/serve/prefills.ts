/** The prefill instances of one size: a number of prompts at once on a mesh, as many as its readers take together. */
import type { Offered } from '../../inference/layout/compiled-layout.ts'
import type { LayoutsWanted } from '../../inference/layout/layout-question.ts'
import { offersOf } from '../../inference/layout/servable.ts'
import { type Demand, servedQuestion } from '../../inference/meshes.ts'
import type { InferenceCandidate, Phase } from '../../inference/phase.ts'
import { orderOf, searchPhase } from '../../inference/search.ts'
import { bestAt, comes, type Given, sitesOf } from '../../inference/sites.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import { servedMeshRules } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { usualDistinct } from '../../search/distinct.ts'
import { insert } from '../../search/listed.ts'
import { type Mesh, meshKey } from '../../sharding/axis.ts'
import { prefillDemand } from '../prefill/phase.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance, ReadLengths } from './instance.ts'
import { readsLongest } from './longest.ts'
import { besideOffers, isOneServer } from './one-server.ts'
import { promptsTogether, readableOffers } from './readers.ts'
import { storageKeys } from './storage.ts'

/** For each number of prompts, the best instance of all, and the best on every mesh that generation may also have: it has no positions to divide. */
export function prefillInstances(size: InstanceSize, stop: Stop): readonly PrefillInstance[] {
  const found: PrefillInstance[] = []
  for (const [prompts, meshes] of meshesByPrompts(size, stop)) {
    if (stop()) break
    const phase = phaseOf(size, prompts, stop)
    const shared: InferenceCandidate[] = []
    for (const mesh of meshes) {
      if (mesh.context > 1 || stop()) continue
      const asked = { prompts, mesh, placements: size.part.placements(mesh), offers: phase.offers(mesh) }
      const best = size.part.bestPrefill(asked, stop)
      if (best) insert(shared, best, meshes.length, orderOf(usualDistinct))
    }
    const [first] = shared
    const apart = bestWithContext(phase, meshes, first?.score ?? Number.POSITIVE_INFINITY, stop)
    const ahead = apart && (!first || comes(apart, first)) ? [apart] : []
    for (const candidate of [...ahead, ...shared]) found.push(prefillInstance(size, candidate, prompts))
  }
  return found
}

/** The same of servers that do nothing else and have room for the longest request: other layouts only where one of these has none. */
export function prefillsHolding(
  size: InstanceSize,
  lengths: ReadLengths,
  stop: Stop,
): readonly PrefillInstance[] {
  const usual = size.prefills(stop)
  if (usual.every((instance) => readsLongest(instance, lengths))) return usual
  return prefillInstances({ ...size, part: size.part.holding(lengths.contextLength) }, stop)
}

/** Numbers of prompts from the least on, each with the meshes that may take so many together. */
function meshesByPrompts(size: InstanceSize, stop: Stop): readonly (readonly [number, readonly Mesh[]])[] {
  // As many prompts as chips are enough for any mesh.
  const { allowed } = size.part.prefillPhase(size.cluster.chips, stop).meshes
  const found = new Map<number, Mesh[]>()
  for (const mesh of allowed) {
    if (stop()) break
    for (const prompts of promptsOn(size, mesh, phaseOf(size, 1, stop).offers(mesh))) {
      known(found, prompts, () => []).push(mesh)
    }
  }
  return [...found].sort(([a], [b]) => a - b)
}

function promptsOn(size: InstanceSize, mesh: Mesh, offers: readonly Offered[]): readonly number[] {
  const { positions } = demandOf(size, 1)
  return promptsTogether(offers, mesh, positions).filter((prompts) => mayTake(size, mesh, prompts))
}

function mayTake(size: InstanceSize, mesh: Mesh, prompts: number): boolean {
  const question = servedQuestion(size.part.prefillProblem(prompts), demandOf(size, prompts))
  return keeps(servedMeshRules, { mesh, question })
}

function demandOf({ part }: InstanceSize, prompts: number): Demand {
  return prefillDemand(part.prefillProblem(prompts).workload)
}

/** The best on meshes that divide positions, if it is as good as `most`. */
function bestWithContext(
  phase: Phase,
  meshes: readonly Mesh[],
  most: number,
  stop: Stop,
): InferenceCandidate | null {
  const allowed = meshes.filter(({ context }) => context > 1)
  const own = { ...phase, meshes: { ...phase.meshes, allowed } }
  const [best] = searchPhase(own, 1, { most: most * (1 + nearly), stop }).candidates
  return best ?? null
}

/** More than scores differ by rounding. */
const nearly = 1e-9

/** The phase of the size's part, with what its framework launches and readers take. */
function phaseOf(size: InstanceSize, prompts: number, stop: Stop): Phase {
  const made = (mesh: Mesh, wanted?: LayoutsWanted) =>
    readableOffers(offersAt(size, prompts, mesh, wanted), mesh, demandOf(size, prompts))
  const own = known(offered, size, () => new Map<string, readonly Offered[]>())
  const offers: Phase['offers'] = (mesh, wanted) =>
    wanted ? made(mesh, wanted) : known(own, `${prompts} ${meshKey(mesh)}`, () => made(mesh))
  return { ...size.part.prefillPhase(prompts, stop), offers }
}

function offersAt({ bench }: InstanceSize, prompts: number, mesh: Mesh, wanted?: LayoutsWanted) {
  return offersOf(bench, mesh, 'prefill', prompts, wanted)
}

/** Layouts that prefill may have on a size, by number of prompts and mesh. */
const offered = new WeakMap<InstanceSize, Map<string, readonly Offered[]>>()

/** What a plan says of an instance that prefills. */
export interface GivenPrefill extends Given {
  readonly prompts?: number | undefined
  readonly units?: number | undefined
}

/** Prefill instances on the same mesh and placement, with layouts that can share its server. */
export function prefillsBeside(
  { size, site, chosen }: GenerateInstance,
  given: GivenPrefill,
  stop: Stop = never,
): readonly PrefillInstance[] {
  const { mesh, placement } = site
  const { placements = [placement] } = given
  const same = placements.filter((one) => isOneServer({ ...chosen, placement: one, layouts: [] }, chosen))
  return prefillsOn(size, mesh, { ...given, placements: same }, stop, (offers) =>
    besideOffers(offers, chosen.layouts),
  )
}

/** The best prefill instance on one mesh for each number of prompts, as far as the plan leaves them open. */
export function prefillsOn(
  size: InstanceSize,
  mesh: Mesh,
  given: GivenPrefill,
  stop: Stop = never,
  left: (offers: readonly Offered[]) => readonly Offered[] = (offers) => offers,
): readonly PrefillInstance[] {
  const { part } = size
  const { prompts: only, units, placements = part.placements(mesh) } = given
  const searched = (prompts: number) => left(phaseOf(size, prompts, stop).offers(mesh, given.layout))
  const counts = only === undefined ? promptsOn(size, mesh, searched(1)) : [only]
  return counts.flatMap((prompts) => {
    if (stop() || !mayTake(size, mesh, prompts)) return []
    const phase = phaseOf(size, prompts, stop)
    // So many that a plan says are read even if a server gains nothing by it.
    const offers = only === undefined ? searched(prompts) : left(offersAt(size, prompts, mesh, given.layout))
    const best =
      units === undefined
        ? part.bestPrefill({ prompts, mesh, placements, offers }, stop)
        : bestOfUnits(phase, sitesOf(size.bench, mesh, { placements }, offers), units, stop)
    return best ? [prefillInstance(size, best, prompts)] : []
  })
}

function bestOfUnits(
  phase: Phase,
  sites: ReturnType<typeof sitesOf>,
  units: number,
  stop: Stop,
): InferenceCandidate | null {
  const passes: Phase['passes'] = (site) => phase.passes(site).filter((pass) => pass.units === units)
  const best = bestAt({ ...phase, passes }, sites, Number.POSITIVE_INFINITY, stop)
  return typeof best === 'object' ? best : null
}

function prefillInstance(
  size: InstanceSize,
  candidate: InferenceCandidate,
  prompts: number,
): PrefillInstance {
  const { questions, answer, seconds } = candidate
  const kept = questions().map(({ components }) =>
    components.reduce((sum, { options }, component) => {
      return sum + (options[answer.chosen[component] ?? -1]?.bytes ?? 0)
    }, 0),
  )
  const storage = storageKeys(candidate).join()
  return { size, candidate, prompts, seconds, workspace: answer.bytes - Math.max(...kept), storage }
}
