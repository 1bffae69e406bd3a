/**
 * Every plan of one phase of inference of a dense model, costed one after another: all meshes, all placements, all
 * layouts of all components, layer after layer as the stream passes them. The search has to agree with it.
 */

import { satisfies } from '../../../src/constraint.ts'
import type { NetworkCosts } from '../../../src/cost/communication/network.ts'
import { createTraffic } from '../../../src/cost/communication/traffic.ts'
import { reserveBytes } from '../../../src/cost/memory/budget.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import type { CompiledLayout } from '../../../src/inference/layout/compiled-layout.ts'
import { setShape, setShards } from '../../../src/inference/layout/local-sizes.ts'
import { sumOf } from '../../../src/inference/layout/local-term.ts'
import { servedQuestion } from '../../../src/inference/meshes.ts'
import { embeddingBeside, type InferenceModel, movesBetween } from '../../../src/inference/model.ts'
import { fixedSeconds } from '../../../src/inference/pass/arrangement.ts'
import { generationPass, type Pass } from '../../../src/inference/pass/pass.ts'
import type { Phase, Site } from '../../../src/inference/phase.ts'
import { componentTime, moveSeconds } from '../../../src/inference/time/component-time.ts'
import { createWorkbench, type Workbench } from '../../../src/inference/workbench.ts'
import { evenBatches } from '../../../src/modes/generate/even-batches.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { servedMeshRules } from '../../../src/rules/model.ts'
import { keeps } from '../../../src/rules/rule.ts'
import { axes, type Mesh, meshKey } from '../../../src/sharding/axis.ts'
import { everyMesh } from '../training/enumeration.ts'

export interface InferenceEnumeration {
  /** The best score of each mesh that has a plan. */
  readonly best: ReadonlyMap<string, { readonly mesh: Mesh; readonly score: number }>
  readonly meshes: number
  readonly infeasible: { memory: number; topology: number; constraint: number; divisibility: number }
}

export function inferenceEnumeration(
  model: InferenceModel,
  problem: PhaseProblem,
  phase: Phase,
): InferenceEnumeration {
  const bench = createWorkbench(model)
  const { cluster, constraints, assumptions } = problem
  const infeasible = { memory: 0, topology: 0, constraint: 0, divisibility: 0 }
  const best = new Map<string, { readonly mesh: Mesh; readonly score: number }>()
  let meshes = 0
  for (const mesh of everyMesh(cluster.chips)) {
    meshes++
    const unasked = mesh.tensor2 > 1 && !assumptions.searchWeightLayouts && constraints.tensor2 === undefined
    if (!keeps(servedMeshRules, { mesh, question: servedQuestion(problem, demandOf(problem)) }))
      infeasible.divisibility++
    else if (unasked || !axes.every((axis) => satisfies(mesh[axis], constraints[axis]))) {
      infeasible.constraint++
    } else {
      const places = placements(cluster.network, mesh)
      const found = places.flatMap((placement) => {
        const costs = model.prices.placed(placement, mesh)
        return passesOf(bench, problem, phase, { mesh, placement, costs, offered: [] }).flatMap((pass) => {
          const seconds = bestSeconds(bench, mesh, costs, pass)
          return seconds === null ? [] : [scoreOf(problem, pass, seconds)]
        })
      })
      if (places.length === 0) infeasible.topology++
      else if (found.length === 0) infeasible.memory++
      else best.set(meshKey(mesh), { mesh, score: Math.min(...found) })
    }
  }
  return { best, meshes, infeasible }
}

function demandOf({ workload }: PhaseProblem): {
  readonly sequences: number | null
  readonly positions: number
} {
  if (workload.mode === 'generate') {
    return { sequences: workload.batchSequences === 'max' ? null : workload.batchSequences, positions: 1 }
  }
  const { batchSequences, promptLength, cachedPrefixLength } = workload
  return { sequences: batchSequences, positions: promptLength - cachedPrefixLength }
}

/** Of a batch as large as fits the time of a sequence; else that of the step. */
function scoreOf({ workload, objective }: PhaseProblem, { resident }: Pass, seconds: number): number {
  const perSequence =
    workload.mode === 'generate' && workload.batchSequences === 'max' && objective !== 'latency'
  return perSequence ? seconds / resident.sequences : seconds
}

/** How prompts are cut into groups and chunks is the phase's; what each cut takes is priced here. */
function passesOf(bench: Workbench, { workload }: PhaseProblem, phase: Phase, site: Site): readonly Pass[] {
  if (workload.mode === 'prefill') return phase.passes(site)
  const { mesh } = site
  const passOf = (batch: number) => generationPass(bench.setting.model, workload, batch, mesh.pipeline)
  if (workload.batchSequences !== 'max') return [passOf(workload.batchSequences)]
  let most = 0
  for (let batch = mesh.data; batch <= mostTried; batch++) {
    const [any] = fittingChoices(bench, mesh, passOf(batch))
    if (any) most = batch
  }
  // How many less are tried is the phase's.
  return evenBatches(mesh, most).map(passOf)
}

/** Where `max` would be more, the enumeration has nothing to say. */
export const mostTried = 40

/** Null where no layouts fit. */
function bestSeconds(bench: Workbench, mesh: Mesh, costs: NetworkCosts, pass: Pass): number | null {
  const { sizes } = bench
  const given = {
    ...{ rates: bench.rates, assumptions: bench.assumed[pass.mode], contexts: pass.contexts, sizes },
    ...{ traffic: createTraffic(bench.resources), experts: null },
  }
  const own = (layout: CompiledLayout, part: Part) =>
    shaped(bench, mesh, pass, part, () => componentTime(layout, costs, given).expected)
  const between = (from: CompiledLayout, to: CompiledLayout, part: Part) =>
    shaped(bench, mesh, pass, part, () =>
      moveSeconds(movesBetween(bench, from, to), costs, given, 'expected'),
    )
  let best: number | null = null
  for (const { layer, head } of fittingChoices(bench, mesh, pass)) {
    const [first, last] = [layer[0], layer.at(-1)]
    if (!first || !last) continue
    const inside = layer.map((layout, k) => {
      const before = layer[k - 1]
      return own(layout, 'layer') + (before ? between(before, layout, 'layer') : 0)
    })
    const seconds = stepSeconds(bench, mesh, pass, {
      entry: between(embeddingBeside(bench, first), first, 'layer'),
      layer: inside.reduce((sum, each) => sum + each, 0),
      around: between(last, first, 'layer'),
      end: between(last, head, 'head') + own(head, 'head'),
    })
    const whole = seconds + fixedSeconds(bench, { mesh, costs }, pass, seconds)
    if (best === null || whole < best) best = whole
  }
  return best
}

interface LayerChoice {
  readonly layer: readonly CompiledLayout[]
  readonly head: CompiledLayout
}

function* fittingChoices(bench: Workbench, mesh: Mesh, pass: Pass): Generator<LayerChoice> {
  const { setting, sizes } = bench
  const keeping = (layout: CompiledLayout, resident: Pass['resident']) =>
    shaped(
      bench,
      mesh,
      { ...pass, resident },
      'resident',
      () => sumOf(layout.stored, sizes) + sumOf(layout.cached, sizes),
    )
  const alone = pass.longest && { ...pass.longest.kept, sequences: mesh.data * mesh.expert }
  const kept = (layout: CompiledLayout) =>
    Math.max(keeping(layout, pass.resident), alone ? keeping(layout, alone) : 0)
  // Logits in bf16 and in fp32; otherwise what is there at once.
  const live = (layout: CompiledLayout, part: Part) =>
    shaped(
      bench,
      mesh,
      pass,
      part,
      () => (part === 'head' ? 3 : 1) * Math.max(0, ...layout.live.map((set) => sumOf(set, sizes))),
    )
  // Attention in groups over tensor2 is none where that has one chip, though the other components may lie so.
  const isOffered = ({ name }: CompiledLayout) =>
    (setting.assumptions.searchWeightLayouts || !/^(2d|gathered)/.test(name)) &&
    (mesh.tensor2 > 1 || mesh.tensor === 1 || !/^copied\/heads-batch/.test(name))
  const components = bench.components.map(({ layouts }) => layouts.filter(isOffered))
  for (const layer of choices(components.slice(0, -1))) {
    const layers = pass.stageLayers * layer.reduce((sum, layout) => sum + kept(layout), 0)
    const working = Math.max(...layer.map((layout) => live(layout, 'layer')))
    for (const head of components.at(-1) ?? []) {
      const [attention] = layer
      if (!attention) continue
      const bytes = layers + kept(head) + Math.max(working, live(head, 'head')) + rest(bench, mesh, attention)
      if (bytes <= setting.memoryBudget) yield { layer, head }
    }
  }
}

type Part = 'layer' | 'head' | 'resident'

/** With the sizes set to what runs through a layer or the head, or to what is resident. */
function shaped(
  { sizes }: Workbench,
  mesh: Mesh,
  { shape, headPositions, resident }: Pass,
  part: Part,
  value: () => number,
): number {
  setShards(sizes, mesh)
  const running = { ...shape, positions: part === 'head' ? headPositions : shape.positions }
  setShape(sizes, part === 'resident' ? resident : running)
  return value()
}

interface Parts {
  readonly entry: number
  readonly layer: number
  readonly around: number
  readonly end: number
}

/** Without stages, every unit through the layers one by one; with them, by the longer course. */
function stepSeconds({ setting }: Workbench, mesh: Mesh, pass: Pass, parts: Parts): number {
  const { entry, layer, around, end } = parts
  const { layers } = setting.model
  const { units, groups } = pass
  if (mesh.pipeline > 1) {
    const stage = Math.ceil(layers / mesh.pipeline)
    const course = (entries: number, ends: number, own: number) =>
      entries * entry + ends * end + own * (layer + (1 - 1 / layers) * around)
    // Of a prompt the last position alone is unembedded, while all of it, chunk by chunk, enters.
    if (pass.mode === 'prefill') return course(units, groups, (units - 1) * stage + layers)
    return Math.max(course(groups, groups, groups * stage), course(1, 1, layers))
  }
  let seconds = groups * end
  for (let unit = 0; unit < units; unit++) {
    seconds += entry
    for (let at = 0; at < layers; at++) seconds += layer + (at > 0 ? around : 0)
  }
  return seconds
}

/** The embedding where it is not the unembedding's own and has no stage of its own, and what is kept free. */
function rest(bench: Workbench, mesh: Mesh, attention: CompiledLayout): number {
  const { setting, sizes } = bench
  const table = embeddingBeside(bench, attention).stored
  const rows = mesh.pipeline === 1 && !setting.model.tiedEmbeddings ? sumOf(table, sizes) : 0
  return rows + reserveBytes(setting)
}

function* choices<Item>(
  lists: readonly (readonly Item[])[],
  chosen: readonly Item[] = [],
): Generator<readonly Item[]> {
  const next = lists[chosen.length]
  if (!next) yield chosen
  else for (const item of next) yield* choices(lists, [...chosen, item])
}
