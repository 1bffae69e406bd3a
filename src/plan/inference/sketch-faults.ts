/** Finds what is illegal in a written inference plan, with pointers into the request, by the same rules as the search. */
import { compact } from '../../compact.ts'
import { servedQuestion } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { Pass } from '../../inference/pass/pass.ts'
import type { Phase, Site } from '../../inference/phase.ts'
import { rowOf } from '../../modes/phases.ts'
import type { InferenceSketch } from '../../plan-sketch.ts'
import type { PhaseProblem } from '../../problem.ts'
import { writtenMeshFaults } from '../../rules/mesh-faults.ts'
import { servedMeshRules } from '../../rules/model.ts'
import { type ExpertHost, placeable } from '../../rules/network.ts'
import { nextTo, type PlanFault, partFaults } from '../../rules/part-rule.ts'
import { componentRules, type PassRead, passRules } from '../../rules/phase.ts'

const hosts: readonly ExpertHost[] = [
  { axis: 'data', framework: 'vLLM' },
  { axis: 'tensor', framework: 'vLLM' },
]

/** What the caller has already looked up: possible sites, faults of the written placement, the phase. */
interface Tried {
  readonly sites: readonly Site[]
  readonly placement: readonly PlanFault[]
  readonly phase: Phase
}

export function inferenceSketchFaults(
  model: InferenceModel,
  problem: PhaseProblem,
  sketch: InferenceSketch,
  { sites, placement, phase }: Tried,
): readonly PlanFault[] {
  const { cluster, workload } = problem
  const { mesh } = sketch
  const question = servedQuestion(problem, rowOf(workload).demand(workload))
  const illegal = writtenMeshFaults(servedMeshRules, mesh, question, cluster.chips, hosts)
  if (illegal.length > 0) return illegal
  const nowhere = placement.length > 0 ? 1 : sites.length
  const topology = partFaults([placeable], { network: cluster.network, places: nowhere })
  if (topology.length > 0) return topology
  return [
    ...layoutFaults(model, sketch),
    ...placement,
    ...passFaults(problem, sketch, placement.length > 0 ? [] : waysOf(sketch, sites, phase)),
  ]
}

/** In generation a plan may have any batch. */
function passFaults(
  { workload }: PhaseProblem,
  { batchSequences, microbatches, microbatchTokens }: InferenceSketch,
  ways: PassRead['ways'],
): readonly PlanFault[] {
  const prompts = rowOf(workload).prompts(workload)
  const read = { prompts, batchSequences, microbatches, microbatchTokens, ways }
  const written: Readonly<Record<string, unknown>> = { microbatches, microbatchTokens }
  return partFaults(passRules, read).map((fault) =>
    nextTo(fault, written[fault.pointer.replace('/plan/', '')]),
  )
}

/** The ways in which a phase splits its batch into groups; a written plan has to use one of them. */
function waysOf({ mesh }: InferenceSketch, [site]: readonly Site[], phase: Phase): PassRead['ways'] {
  const passes = compact(phase.leastPass(mesh), site && phase.passes(site))
  return passes.map((pass) => ({ units: pass.units, tokens: tokensOf(pass) }))
}

export function tokensOf({ shape, unitPositions }: Pass): number {
  return shape.sequences * unitPositions
}

function layoutFaults(
  { components }: InferenceModel,
  { mesh, layout }: InferenceSketch,
): readonly PlanFault[] {
  const offered = Object.fromEntries(
    components.map((component) => [component.name, component.layouts.map(({ name }) => name)]),
  )
  return Object.entries(layout).flatMap(([name, asked]) =>
    partFaults(componentRules, { mesh, name, layout: asked, offered }),
  )
}
