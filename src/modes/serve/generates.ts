/**
 * The generate instances of one size: a mesh with a placement and layouts that stay the same for every batch, those that are best for
 * the most sequences that memory and the limit per token allow, or for a smaller batch.
 */
import { isOnly, only } from '../../inference/layout/compiled-layout.ts'
import { passBudget } from '../../inference/pass/pass-budget.ts'
import { secondsAt, settled } from '../../inference/pass/settled.ts'
import { stepPasses } from '../../inference/pass/step-passes.ts'
import type { InferenceCandidate, Site } from '../../inference/phase.ts'
import { fastestOf, fastestSeconds, type Given, sitesOf } from '../../inference/sites.ts'
import { mostPositions } from '../../inference/speculation/speculation.ts'
import type { Workbench } from '../../inference/workbench.ts'
import { remembered } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { GenerateWorkload } from '../../problem.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { generationOffers, largestBatch } from '../generate/phase.ts'
import type { GenerateInstance, InstanceSize } from './instance.ts'
import { paceAt } from './pace.ts'
import type { Steps } from './part.ts'
import { storageKeys } from './storage.ts'

export function generateInstances(
  size: InstanceSize,
  maxTokenSeconds: Seconds,
  stop: Stop,
): readonly GenerateInstance[] {
  // A pool may have hundreds of parts, each with a phase of its own to make.
  if (stop()) return []
  const phase = size.part.generatePhase(stop)
  // Of meshes that layouts treat alike, those on the tensor axis come first, and are kept where they tie.
  const meshes = [...phase.meshes.allowed].sort((a, b) => a.tensor2 - b.tensor2)
  return meshes.flatMap((mesh) => (stop() ? [] : generatesOn(size, mesh, { maxTokenSeconds }, stop)))
}

/** What a plan says of an instance that generates, and the limit on a token. */
export interface GivenGenerate extends Given {
  readonly maxTokenSeconds: Seconds
}

/** Generate instances on one mesh, as far as the plan leaves them open. */
export function generatesOn(
  size: InstanceSize,
  mesh: Mesh,
  { maxTokenSeconds, ...given }: GivenGenerate,
  stop: Stop = never,
): readonly GenerateInstance[] {
  const { bench, part } = size
  const { placements = part.placements(mesh) } = given
  const limit = Number.isFinite(maxTokenSeconds) ? { maxStepSeconds: maxTokenSeconds } : {}
  const workload = { ...part.generateProblem('max').workload, ...limit }
  const offers = generationOffers(bench, mesh, given.layout)
  return sitesOf(bench, mesh, { ...given, placements }, offers).flatMap((site) => {
    if (stop()) return []
    const most = mostInTime(size, site, workload)
    const found = new Map<string, GenerateInstance>()
    const settles = isOnly(site.offered)
    for (const batch of [most, ...batches.filter((fewer) => fewer < most)]) {
      if (settles && found.size > 0) break
      const chosen = most > 0 && fastestOf(bench, site, passesOf(bench, workload, batch, mesh))
      if (!chosen) continue
      const { layouts, placement } = chosen
      const names = layouts.map(({ name }) => name).join()
      if (found.has(names)) continue
      // Servers differ in how many tokens they send to experts.
      const server = mesh.expert > 1 ? bench.servable?.host(size.cluster) : undefined
      const asked = { mesh, placement, layouts, maxTokenSeconds, server }
      const only = settles ? most : null
      const steps = part.steps(asked, () => stepsOf(size, site, chosen, workload, only))
      found.set(names, { ...steps, size, chosen, storage: storageKeys(chosen).join() })
    }
    return [...found.values()]
  })
}

/** The best layouts may change with the batch: they are searched for at these batches and at the largest. */
const batches = [64, 4]

/** Steps as they are scored, with all that is drafted: layouts are those that are best for them, and have room for them. */
function passesOf(bench: Workbench, workload: GenerateWorkload, batch: number, mesh: Mesh) {
  return stepPasses(bench, workload, batch, mesh, mostPositions(workload.speculative))
}

/** The most sequences that memory and the limit on a token allow; of several layouts, those of the model and of its draft that are fastest. */
function mostInTime({ bench, part }: InstanceSize, site: Site, workload: GenerateWorkload): number {
  if (!workload.speculative) return largestBatch(bench, site, workload)
  const secondsOf = secondsAt(bench, site)
  const pace = paceAt(part.bench, site, workload, (batch, positions) =>
    fastestSeconds(stepPasses(bench, workload, batch, site.mesh, positions).map(secondsOf)),
  )
  return largestBatch(bench, site, workload, (batch) => pace(batch).tokenSeconds)
}

/** `most` is the largest batch where the site has no other layouts. */
function stepsOf(
  size: InstanceSize,
  { mesh, placement, costs }: Site,
  { layouts }: InferenceCandidate,
  limited: GenerateWorkload,
  most: number | null,
): Steps {
  const { bench, part } = size
  const { workload } = part.generateProblem('max')
  const site = { mesh, placement, costs, offered: only(layouts) }
  const taken = settled(bench, site)
  const largest = most ?? mostInTime(size, site, limited)
  // A server that has room for its most sequences is not asked again whether it has room for fewer.
  const fitting = passesOf(bench, workload, largest, mesh).map(taken.fits)
  const pace = paceAt(part.bench, site, workload, (batch, positions) =>
    fastestSeconds(
      stepPasses(bench, workload, batch, mesh, positions).map((pass, way) =>
        batch <= largest && fitting[way] ? taken.fittingSeconds(pass) : taken.seconds(pass),
      ),
    ),
  )
  return {
    site,
    most: largest,
    stepSeconds: (batch) => pace(batch).stepSeconds,
    tokenSeconds: (batch) => pace(batch).tokenSeconds,
    resident: remembered((batch) => {
      const [whole, ...halved] = passesOf(bench, workload, batch, mesh)
      const { bytes, workspace } = taken.memory(whole)
      const ofHalves = halved.map((half) => taken.memory(half).workspace)
      return { bytes, workspace: Math.max(workspace, ...ofHalves), budget: passBudget(bench, mesh, whole) }
    }),
    alone: remembered((positions) => {
      const only = { ...workload, contextLength: positions, meanContextLength: positions }
      const [whole] = passesOf(bench, only, replicasOf(mesh), mesh)
      return { ...taken.memory(whole), budget: passBudget(bench, mesh, whole) }
    }),
  }
}
