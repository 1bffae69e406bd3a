/** The phases of a deployment as plans of their own: what reads prompts, and what generates for so many sequences. */
import type { Solver } from '../../../solvers/linear-program.ts'
import { type InferenceModel, inferenceOn } from '../../inference/model.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { fastestOf } from '../../inference/sites.ts'
import { generationPhase, stepPasses } from '../../modes/generate/phase.ts'
import { prefillPhase } from '../../modes/prefill/phase.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from '../../modes/serve/instance.ts'
import type { Bytes } from '../../units.ts'
import { assembleInference } from '../inference/assemble.ts'

export function runningCandidate({ size, site }: GenerateInstance, batch: number): InferenceCandidate | null {
  const { workload } = size.part.generateProblem(batch)
  return fastestOf(size.bench, site, stepPasses(size.bench, workload, batch, site.mesh))
}

interface Told {
  readonly rank: number
  readonly solver: Solver
  /** The requested budget, if the deployment was searched with more. */
  readonly memoryBudget?: Bytes | undefined
  readonly transfers: boolean
  readonly contextLength: number
  readonly maxSequences: number
  readonly longestPositions: number
}

export function prefillOf({ size, candidate, prompts }: PrefillInstance, told: Told) {
  const model = heldTo(size, told.memoryBudget)
  const own = prefillPhase(model, size.part.prefillProblem(prompts))
  // A prompt may have all positions of the longest request but one.
  const phase = { ...own, transfers: told.transfers, positions: told.contextLength - 1 }
  return assembleInference(model, phase, candidate, told.rank, told.solver)
}

/** Proves nothing of its layouts, as they need not be the best for this batch. */
export function generateOf(
  { size }: GenerateInstance,
  running: InferenceCandidate,
  { rank, transfers, contextLength, maxSequences, longestPositions, memoryBudget }: Told,
) {
  const model = heldTo(size, memoryBudget)
  const problem = size.part.generateProblem(running.pass.resident.sequences)
  const own = { transfers, positions: contextLength, maxSequences, longestPositions }
  const phase = { ...generationPhase(model, problem), ...own }
  return assembleInference(model, phase, running, rank, null)
}

function heldTo({ bench }: InstanceSize, memoryBudget: Bytes | undefined): InferenceModel {
  const { setting } = bench
  return memoryBudget === undefined ? bench : inferenceOn(bench, { ...setting, memoryBudget })
}
