/**
 * The smallest change of a written mesh of inference that fits on the chips that there are: an axis that cuts weights or caches is made wider by
 * the least factor, of chips that stand idle or else of replicas.
 */
import { present } from '../fields.ts'
import type { Suggestion } from '../plan/answer.ts'
import type { InferencePlan } from '../plan/inference-plan.ts'
import type { InferenceSketch } from '../plan-sketch.ts'
import type { PhaseProblem } from '../problem.ts'
import { type Mesh, meshSize } from '../sharding/axis.ts'
import { dropped } from './choices.ts'
import { withHeldShare } from './held-share.ts'
import type { Asked } from './remedied.ts'

/** Axes that cut what a chip holds of a replica, the one that keeps steps shortest first. */
const cutting = ['tensor', 'expert', 'pipeline'] as const

export function widerMesh({
  problem,
  sketch,
  fitting,
}: Asked<PhaseProblem, InferenceSketch, InferencePlan>): Suggestion | null {
  const { placement: _placement, ...free } = sketch
  for (const times of factorsTo(problem.cluster.chips)) {
    for (const axis of cutting) {
      for (const mesh of widened(sketch.mesh, axis, times, problem.cluster.chips)) {
        const found = withHeldShare(
          { setting: problem, cacheShare: free.cacheShare, limits: {}, from: sketch },
          (share) => fitting(problem, { ...free, mesh, ...present({ cacheShare: share }) }),
          (plan) => ({ mesh, layout: plan.layout.components }),
        )
        if (!found) continue
        const { plan, cacheShare } = found
        const { also = [] } = dropped(sketch, ['placement'])
        const kept =
          cacheShare?.keptBytes === sketch.cacheShare?.keptBytes
            ? []
            : [{ pointer: '/plan/cacheShare', value: cacheShare }]
        const fewer = mesh.data === sketch.mesh.data ? [] : [{ pointer: '/plan/mesh/data', value: mesh.data }]
        const others = [...fewer, ...kept, ...also]
        return {
          ...{ change: 'another mesh', pointer: `/plan/mesh/${axis}`, value: mesh[axis] },
          detail: `"${plan.summary}" fits`,
          ...(others.length > 0 ? { also: others } : {}),
        }
      }
    }
  }
  return null
}

/** On chips that stand idle, and in place of replicas. */
function widened(mesh: Mesh, axis: (typeof cutting)[number], times: number, chips: number): readonly Mesh[] {
  const wider = { ...mesh, [axis]: mesh[axis] * times }
  const idle = meshSize(wider) <= chips ? [wider] : []
  return mesh.data % times === 0 ? [...idle, { ...wider, data: mesh.data / times }] : idle
}

function factorsTo(chips: number): readonly number[] {
  return Array.from({ length: Math.floor(Math.log2(chips)) }, (_, at) => 2 ** (at + 1))
}
