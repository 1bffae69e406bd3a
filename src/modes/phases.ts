/** Rows of the phases of inference, by mode. */
import type { MeshesOf } from '../inference/meshes.ts'
import type { InferenceModel } from '../inference/model.ts'
import type { Phase } from '../inference/phase.ts'
import { never, type Stop } from '../patience.ts'
import type { InferenceProblem, PhaseProblem } from '../problem.ts'
import { generate } from './generate/row.ts'
import type { PhaseRow, PhaseWorkload } from './phase-row.ts'
import { prefill } from './prefill/row.ts'

const rows = { prefill, generate }

/** Each row is called only with workloads of its own mode, which the types cannot express for a union. */
export function rowOf<Workload extends PhaseWorkload>({ mode }: Workload): PhaseRow<Workload> {
  return rows[mode] as unknown as PhaseRow<Workload>
}

export function phaseOf(
  model: InferenceModel,
  problem: InferenceProblem<PhaseWorkload>,
  stop: Stop = never,
  meshesOf?: MeshesOf,
): Phase {
  return rowOf(problem.workload).phase(model, problem, stop, meshesOf)
}

export function positionsOf({ workload }: PhaseProblem): number {
  return rowOf(workload).positions(workload)
}
