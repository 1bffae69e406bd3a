/** What no framework could run of a written plan of inference, with pointers into the request. */
import { demandOf, inferenceMeshFaults } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { Pass } from '../../inference/pass/pass.ts'
import type { Phase, Site } from '../../inference/search.ts'
import type { InferenceSketch, PhaseProblem } from '../../problem.ts'
import { counted } from '../explain/figures.ts'
import type { IllegalPlan } from '../plan.ts'
import { meshSizeFault } from '../sketch/mesh-size-fault.ts'

type Faults = IllegalPlan['illegal']

/** What of the plan has been looked up already: where it may lie, what is wrong with where it says, its phase. */
interface Tried {
  readonly sites: readonly Site[]
  readonly placement: Faults
  readonly phase: Phase
}

export function inferenceSketchFaults(
  model: InferenceModel,
  problem: PhaseProblem,
  sketch: InferenceSketch,
  { sites, placement, phase }: Tried,
): Faults {
  const { cluster, workload } = problem
  const size = meshSizeFault(sketch.mesh, cluster.chips, ['data', 'tensor'])
  if (size) return [size]
  const legal = [
    ...inferenceMeshFaults(sketch.mesh, problem, demandOf(workload)).map(({ axis, detail }) => ({
      pointer: `/plan/mesh/${axis}`,
      detail,
    })),
  ]
  if (legal.length > 0) return legal
  if (sites.length === 0 && placement.length === 0) {
    const on =
      cluster.network.kind === 'torus' ? `the ${cluster.network.topology.join('x')} torus` : 'the network'
    return [{ pointer: '/plan/mesh', detail: `the axes cannot be laid on ${on}` }]
  }
  return [
    ...layoutFaults(model, sketch),
    ...placement,
    ...batchFaults(problem, sketch),
    ...(placement.length > 0 ? [] : passFaults(sketch, sites, phase)),
  ]
}

/** Of generation any batch may be written. */
function batchFaults({ workload }: PhaseProblem, { batchSequences }: InferenceSketch): Faults {
  if (workload.mode === 'generate' || batchSequences === undefined) return []
  if (batchSequences === workload.batchSequences) return []
  const detail = `the workload has ${counted(workload.batchSequences, 'prompt')}, not ${batchSequences}`
  return [{ pointer: '/plan/batchSequences', detail }]
}

/** How sequences or prompts go through a pipeline in groups has to be one of the ways there are. */
function passFaults(
  { mesh, microbatches, microbatchTokens }: InferenceSketch,
  sites: readonly Site[],
  phase: Phase,
): Faults {
  const [site] = sites
  const passes = [phase.leastPass(mesh), ...(site ? phase.passes(site) : [])]
  const units = passes.filter((pass) => microbatches === undefined || pass.units === microbatches)
  const list = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b).join(', ')
  if (units.length === 0) {
    const detail = `there are ways in groups of ${list(passes.map((pass) => pass.units))}`
    return [{ pointer: '/plan/microbatches', detail }]
  }
  if (microbatchTokens === undefined || units.some((pass) => tokensOf(pass) === microbatchTokens)) return []
  const detail = `a group has ${list(units.map(tokensOf))} tokens`
  return [{ pointer: '/plan/microbatchTokens', detail }]
}

export function tokensOf({ shape }: Pass): number {
  return shape.sequences * shape.positions
}

function layoutFaults({ components }: InferenceModel, { layout }: InferenceSketch): Faults {
  return Object.entries(layout).flatMap(([name, asked]) => {
    const component = components.find((one) => one.name === name)
    if (!component) {
      const names = components.map((one) => one.name).join(', ')
      return [{ pointer: `/plan/layout/${name}`, detail: `the model's components are ${names}` }]
    }
    if (component.layouts.some((one) => one.name === asked)) return []
    const names = component.layouts.map((one) => one.name).join(', ')
    return [{ pointer: `/plan/layout/${name}`, detail: `there is no layout ${asked}; there are ${names}` }]
  })
}
