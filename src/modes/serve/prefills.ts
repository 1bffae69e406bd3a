/**
 * The prefill instances of one size: a number of prompts at once on a mesh. Prompts are taken together as long as a pass has at most
 * 8192 tokens, beyond which matmuls get no more efficient.
 */
import type { Offered } from '../../inference/layout/compiled-layout.ts'
import type { LayoutsWanted } from '../../inference/layout/layout-question.ts'
import { offersOf } from '../../inference/layout/servable.ts'
import { servedQuestion } from '../../inference/meshes.ts'
import type { InferenceCandidate, Phase } from '../../inference/phase.ts'
import { orderOf, searchPhase } from '../../inference/search.ts'
import { bestAt, comes, type Given, sitesOf } from '../../inference/sites.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import { servedMeshRules } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { usualDistinct } from '../../search/distinct.ts'
import { insert } from '../../search/listed.ts'
import { type Mesh, meshKey, replicasOf, unitMesh } from '../../sharding/axis.ts'
import { prefillDemand } from '../prefill/phase.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from './instance.ts'
import { besideOffers, isOneServer } from './one-server.ts'
import { storageKeys } from './storage.ts'

const mostPassTokens = 8192

/** For each number of prompts, the best instance of all, and the best on every mesh that generation may also have: it has no positions to divide. */
export function prefillInstances(size: InstanceSize, stop: Stop): readonly PrefillInstance[] {
  const found: PrefillInstance[] = []
  for (const prompts of promptsTogether(size)) {
    if (stop()) break
    const phase = phaseOf(size, prompts, stop)
    const shared: InferenceCandidate[] = []
    const { allowed } = phase.meshes
    for (const mesh of allowed) {
      if (mesh.context > 1 || stop()) continue
      const asked = { prompts, mesh, placements: size.part.placements(mesh), offers: phase.offers(mesh) }
      const best = size.part.bestPrefill(asked, stop)
      if (best) insert(shared, best, allowed.length, orderOf(usualDistinct))
    }
    const [first] = shared
    const apart = bestWithContext(phase, first?.score ?? Number.POSITIVE_INFINITY, stop)
    const ahead = apart && (!first || comes(apart, first)) ? [apart] : []
    for (const candidate of [...ahead, ...shared]) found.push(prefillInstance(size, candidate, prompts))
  }
  return found
}

/** The best on meshes that divide positions, if it is as good as `most`. */
function bestWithContext(phase: Phase, most: number, stop: Stop): InferenceCandidate | null {
  const allowed = phase.meshes.allowed.filter(({ context }) => context > 1)
  const own = { ...phase, meshes: { ...phase.meshes, allowed } }
  const [best] = searchPhase(own, 1, { most: most * (1 + nearly), stop }).candidates
  return best ?? null
}

/** More than scores differ by rounding. */
const nearly = 1e-9

/** The phase of the size's part, with what its framework launches. */
function phaseOf(size: InstanceSize, prompts: number, stop: Stop): Phase {
  const made = (mesh: Mesh, wanted?: LayoutsWanted) => offersOf(size.bench, mesh, 'prefill', prompts, wanted)
  const own = known(offered, size, () => new Map<string, readonly Offered[]>())
  const offers: Phase['offers'] = (mesh, wanted) =>
    wanted ? made(mesh, wanted) : known(own, `${prompts} ${meshKey(mesh)}`, () => made(mesh))
  return { ...size.part.prefillPhase(prompts, stop), offers }
}

/** Layouts that prefill may have on a size, by number of prompts and mesh. */
const offered = new WeakMap<InstanceSize, Map<string, readonly Offered[]>>()

/** Numbers of prompts that an instance may take together: powers of two, and one for each group of chips that reads its own. */
function promptsTogether({ part }: InstanceSize, mesh: Mesh = unitMesh): readonly number[] {
  const { promptLength, cachedPrefixLength } = part.prefillProblem(1).workload
  const readers = replicasOf(mesh)
  const most = Math.max(readers, Math.floor(mostPassTokens / (promptLength - cachedPrefixLength)))
  const powers = Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, at) => 2 ** at)
  return [...new Set([...powers, readers])]
}

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
  const counts = only === undefined ? promptsTogether(size, mesh) : [only]
  return counts.flatMap((prompts) => {
    if (stop()) return []
    const problem = part.prefillProblem(prompts)
    const question = servedQuestion(problem, prefillDemand(problem.workload))
    if (!keeps(servedMeshRules, { mesh, question })) return []
    const phase = phaseOf(size, prompts, stop)
    const offers = left(phase.offers(mesh, given.layout))
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
  const [{ components = [] } = {}] = questions
  const kept = components.reduce((sum, { options }, component) => {
    return sum + (options[answer.chosen[component] ?? -1]?.bytes ?? 0)
  }, 0)
  const storage = storageKeys(candidate).join()
  return { size, candidate, prompts, seconds, workspace: answer.bytes - kept, storage }
}
