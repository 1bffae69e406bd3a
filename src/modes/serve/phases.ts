/**
 * The instances that one size can be: for prefill, a number of prompts at once on a mesh; for generation, a mesh with a
 * placement and layouts that stay the same for every batch: those that are best for the most sequences that memory and
 * the limit per token allow, or for a smaller batch.
 *
 * Prompts are taken together as long as a pass has at most 8192 tokens, beyond which matmuls get no more efficient. A
 * sequence's cache has room for prompt and output, and on average holds the prompt and half of the output.
 */
import { reserveBytes } from '../../cost/memory/memory.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { servedQuestion } from '../../inference/meshes.ts'
import { type InferenceModel, inferenceOn } from '../../inference/model.ts'
import { settled } from '../../inference/pass/settled.ts'
import type { InferenceCandidate, Offered, Phase, Site } from '../../inference/phase.ts'
import { bestAt, fastestOf, fastestSeconds, type Given, searchPhase, sitesOf } from '../../inference/search.ts'
import { createWorkbench } from '../../inference/workbench.ts'
import { never, type Stop } from '../../patience.ts'
import type { GenerateWorkload, InferenceProblem, ServeWorkload } from '../../problem.ts'
import { servedMeshRules } from '../../rules/model.ts'
import { keeps } from '../../rules/rule.ts'
import { type Mesh, replicasOf, unitMesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { generationPhase, largestBatch, stepPasses } from '../generate/phase.ts'
import { prefillDemand, prefillPhase } from '../prefill/phase.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from './instance.ts'
import { besideOffers, isOneServer } from './one-server.ts'
import { storageKeys } from './storage.ts'

const mostPassTokens = 8192

/** `pooled` is the model compiled for the whole pool: all of it but the network's prices is reused for a part of the pool. */
export function instanceSize(
  problem: InferenceProblem<ServeWorkload>,
  pooled: InferenceModel,
  cluster: Cluster,
): InstanceSize {
  const { workload } = problem
  const { promptLength, outputLength, cachedPrefixLength } = workload
  const setting = { ...problem, cluster, constraints: { data: 1, ...problem.constraints } }
  const bench = createWorkbench(inferenceOn(pooled, setting))
  const generate = {
    mode: 'generate',
    contextLength: promptLength + outputLength,
    meanContextLength: promptLength + outputLength / 2,
  } as const
  const prefills = whole((_, stop) => prefillInstances(size, stop))
  const beside = new WeakMap<GenerateInstance, ReturnType<typeof whole<PrefillInstance>>>()
  const size: InstanceSize = {
    cluster,
    bench,
    prefillProblem: (batchSequences) => ({
      ...setting,
      workload: { mode: 'prefill', promptLength, batchSequences, cachedPrefixLength },
    }),
    generateProblem: (batchSequences) => ({ ...setting, workload: { ...generate, batchSequences } }),
    prefills: (stop) => prefills(0, stop),
    generates: whole((maxStepSeconds, stop) => generateInstances(size, maxStepSeconds, stop)),
    prefillsBeside: (generate, stop) => {
      const found = beside.get(generate) ?? whole((_, end) => prefillsBeside(generate, {}, end))
      beside.set(generate, found)
      return found(0, stop)
    },
  }
  return size
}

function prefillInstances(size: InstanceSize, stop: Stop): readonly PrefillInstance[] {
  const found: PrefillInstance[] = []
  for (const prompts of promptsTogether(size)) {
    if (stop()) break
    const phase = prefillPhase(size.bench, size.prefillProblem(prompts), stop)
    const { allowed } = phase.meshes
    const shared = searchPhase(withoutContext(phase), allowed.length, { stop }).candidates
    const best = searchPhase(phase, 1, { stop }).candidates.filter(({ mesh }) => mesh.context > 1)
    for (const candidate of [...best, ...shared]) found.push(prefillInstance(size, candidate, prompts))
  }
  return found
}

/** Numbers of prompts that an instance may take together: powers of two, and one for each group of chips that reads its own. */
function promptsTogether({ prefillProblem }: InstanceSize, mesh: Mesh = unitMesh): readonly number[] {
  const { promptLength, cachedPrefixLength } = prefillProblem(1).workload
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
  offered: (offers: readonly Offered[]) => readonly Offered[] = (offers) => offers,
): readonly PrefillInstance[] {
  const { bench } = size
  const { prompts: only, units } = given
  const counts = only === undefined ? promptsTogether(size, mesh) : [only]
  return counts.flatMap((prompts) => {
    if (stop()) return []
    const problem = size.prefillProblem(prompts)
    const question = servedQuestion(problem, prefillDemand(problem.workload))
    if (!keeps(servedMeshRules, { mesh, question })) return []
    const all = prefillPhase(bench, problem, stop)
    const passes: Phase['passes'] = (site) => all.passes(site).filter((pass) => pass.units === units)
    const phase = units === undefined ? all : { ...all, passes }
    const sites = sitesOf(bench, mesh, given, offered(phase.offers(mesh, given.layout)))
    const best = bestAt(phase, sites, Number.POSITIVE_INFINITY, stop)
    return typeof best === 'object' ? [prefillInstance(size, best, prompts)] : []
  })
}

/** Restricted to meshes that generation may have too: it has no positions to divide, so that context is 1. */
function withoutContext(phase: Phase): Phase {
  const allowed = phase.meshes.allowed.filter(({ context }) => context === 1)
  return { ...phase, meshes: { ...phase.meshes, allowed } }
}

function prefillInstance(
  size: InstanceSize,
  candidate: InferenceCandidate,
  prompts: number,
): PrefillInstance {
  const { question, answer, seconds } = candidate
  const kept = question.components.reduce((sum, { options }, component) => {
    return sum + (options[answer.chosen[component] ?? -1]?.bytes ?? 0)
  }, 0)
  const storage = storageKeys(candidate).join()
  return { size, candidate, prompts, seconds, workspace: answer.bytes - kept, storage }
}

function generateInstances(
  size: InstanceSize,
  maxStepSeconds: Seconds,
  stop: Stop,
): readonly GenerateInstance[] {
  const phase = generationPhase(size.bench, size.generateProblem('max'), stop)
  // Of meshes that layouts treat alike, those on the tensor axis come first, and are kept where they tie.
  const meshes = [...phase.meshes.allowed].sort((a, b) => a.tensor2 - b.tensor2)
  return meshes.flatMap((mesh) => (stop() ? [] : generatesOn(size, mesh, { maxStepSeconds }, stop, phase)))
}

/** What a plan says of an instance that generates, and the limit on a step. */
export interface GivenGenerate extends Given {
  readonly maxStepSeconds: Seconds
}

/** Generate instances on one mesh, as far as the plan leaves them open. */
export function generatesOn(
  size: InstanceSize,
  mesh: Mesh,
  { maxStepSeconds, ...given }: GivenGenerate,
  stop: Stop = never,
  { offers }: Pick<Phase, 'offers'> = generationPhase(size.bench, size.generateProblem('max'), stop),
): readonly GenerateInstance[] {
  const { bench } = size
  const limit = Number.isFinite(maxStepSeconds) ? { maxStepSeconds } : {}
  const workload = { ...size.generateProblem('max').workload, ...limit }
  return sitesOf(bench, mesh, given, offers(mesh, given.layout)).flatMap((site) => {
    if (stop()) return []
    const most = largestBatch(bench, site, workload)
    const found = new Map<string, GenerateInstance>()
    for (const batch of [most, ...batches.filter((fewer) => fewer < most)]) {
      const chosen = most > 0 && fastestOf(bench, site, stepPasses(bench, workload, batch, mesh))
      if (!chosen) continue
      const names = chosen.layouts.map(({ name }) => name).join()
      if (!found.has(names)) found.set(names, generateInstance(size, site, chosen, workload))
    }
    return [...found.values()]
  })
}

/** The best layouts may change with the batch: they are searched for at these batches and at the largest. */
const batches = [64, 4]

function generateInstance(
  size: InstanceSize,
  { mesh, placement, costs }: Site,
  chosen: InferenceCandidate,
  limited: GenerateWorkload,
): GenerateInstance {
  const { bench } = size
  const { setting } = bench
  const { workload } = size.generateProblem('max')
  const site = { mesh, placement, costs, offered: chosen.layouts.map((layout) => [layout]) }
  const passesOf = (batch: number) => stepPasses(bench, workload, batch, mesh)
  const budget = setting.memoryBudget - reserveBytes(setting)
  const known = settled(bench, mesh, costs, chosen.layouts)
  return {
    size,
    site,
    chosen,
    most: largestBatch(bench, site, limited),
    storage: storageKeys(chosen).join(),
    stepSeconds: byNumber((batch) => fastestSeconds(known, passesOf(batch))),
    resident: byNumber((batch) => {
      const [whole, ...halved] = passesOf(batch)
      const { bytes, workspace } = known.memory(whole)
      const ofHalves = halved.map((half) => known.memory(half).workspace)
      return { bytes, workspace: Math.max(workspace, ...ofHalves), budget }
    }),
  }
}

/** Caches results by number, except those that a stop cut short. */
function whole<Found>(
  make: (count: number, stop: Stop) => readonly Found[],
): (count: number, stop?: Stop) => readonly Found[] {
  const known = new Map<number, readonly Found[]>()
  return (count, stop = never) => {
    const found = known.get(count) ?? make(count, stop)
    if (!stop()) known.set(count, found)
    return found
  }
}

function byNumber<Value>(make: (count: number) => Value): (count: number) => Value {
  const known = new Map<number, Value>()
  return (count) => {
    const found = known.get(count) ?? make(count)
    known.set(count, found)
    return found
  }
}
