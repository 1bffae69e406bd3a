/** What no framework could run of a written plan of inference, with pointers into the request. */
import { inferenceMeshFaults } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import type { Site } from '../../inference/search.ts'
import type { InferenceSketch, PhaseProblem } from '../../problem.ts'
import { meshSize } from '../../sharding/axis.ts'
import type { IllegalPlan } from '../plan.ts'

type Faults = IllegalPlan['illegal']

export function inferenceSketchFaults(
  model: InferenceModel,
  problem: PhaseProblem,
  sketch: InferenceSketch,
  sites: readonly Site[],
): Faults {
  const { cluster, workload } = problem
  const size = meshSize(sketch.mesh)
  if (size !== cluster.chips) {
    const detail = `the axes multiply to ${size}, and there are ${cluster.chips} chips`
    return [{ pointer: '/plan/mesh', detail }]
  }
  const demand =
    workload.mode === 'prefill'
      ? {
          sequences: workload.batchSequences,
          positions: workload.promptLength - workload.cachedPrefixLength,
        }
      : { sequences: workload.batchSequences === 'max' ? null : workload.batchSequences, positions: 1 }
  const faults = [
    ...inferenceMeshFaults(sketch.mesh, problem, demand).map(({ axis, detail }) => ({
      pointer: `/plan/mesh/${axis}`,
      detail,
    })),
    ...layoutFaults(model, sketch),
  ]
  if (faults.length > 0 || sites.length > 0) return faults
  const on =
    cluster.network.kind === 'torus' ? `the ${cluster.network.topology.join('x')} torus` : 'the network'
  return [
    sketch.placement
      ? {
          pointer: '/plan/placement',
          detail: 'no placement of the mesh puts these axes on these physical axes',
        }
      : { pointer: '/plan/mesh', detail: `the axes cannot be laid on ${on}` },
  ]
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
