/** The phases of a deployment as plans of their own: what reads prompts, and what generates for so many sequences. */
import type { Solver } from '../../../solvers/linear-program.ts'
import { present } from '../../fields.ts'
import { type InferenceModel, inferenceOn } from '../../inference/model.ts'
import { stepPasses } from '../../inference/pass/step-passes.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { fastestOf } from '../../inference/sites.ts'
import { known } from '../../known.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from '../../modes/serve/instance.ts'
import type { Pair } from '../../modes/serve/pair.ts'
import { never } from '../../patience.ts'
import type { Bytes } from '../../units.ts'
import { inferenceMemory } from '../inference/accounts.ts'
import { assembleInference, assembleUnlaunched, phaseLaunch } from '../inference/assemble.ts'
import type { InferencePlan } from '../inference-plan.ts'

/** The phases as plans: of prompts, and of the sequences that run; and of as many as there may be, what a launch says of them. */
export interface Made {
  readonly reading: InferencePlan
  readonly generating: InferencePlan
  readonly filled: Pick<InferencePlan, 'launch' | 'memoryBytes'>
}

interface Generating {
  readonly running: InferenceCandidate
  readonly full: InferenceCandidate
}

/** Each phase has servers of its own, with a launch each. */
export function madeApart({ prefill, generate }: Pair, told: Told, { running, full }: Generating): Made {
  const { model, phase } = generatingOf(generate, told)
  const memoryBytes = inferenceMemory(model, full)
  return {
    reading: prefillOf(prefill, told),
    generating: generateOf(generate, running, told),
    filled: { launch: phaseLaunch(model, phase, full, memoryBytes), memoryBytes },
  }
}

/** The phases have one launch, which is made of both: of a full server only the memory is asked for. */
export function madeTogether({ prefill, generate }: Pair, told: Told, { running, full }: Generating): Made {
  const memoryBytes = inferenceMemory(heldTo(generate.size, told.memoryBudget), full)
  return {
    reading: prefillOf(prefill, told, assembleUnlaunched),
    generating: generateOf(generate, running, told, assembleUnlaunched),
    filled: { launch: {}, memoryBytes },
  }
}

export function runningCandidate({ size, site }: GenerateInstance, batch: number): InferenceCandidate | null {
  const { workload } = size.part.generateProblem(batch)
  return fastestOf(size.bench, site, stepPasses(size.bench, workload, batch, site.mesh))
}

interface Told {
  readonly rank: number
  readonly solver: Solver
  /** The requested budget, if the deployment was searched with more. */
  readonly memoryBudget: Bytes | undefined
  readonly transfers: boolean
  readonly contextLength: number
  readonly maxSequences: number
  /** Positions of the longest prompt that has room where prompts are read, and of the longest request where tokens are generated. */
  readonly longest: { readonly read: number; readonly generated: number }
  readonly readings: Readings
}

/** Plans of what reads prompts, which deployments of one answer share: by candidate, and then by all else of a deployment that such a plan says. */
export type Readings = WeakMap<InferenceCandidate, Map<string, InferencePlan>>

function prefillOf({ size, candidate, prompts }: PrefillInstance, told: Told, assemble = assembleInference) {
  const { rank, solver, transfers, contextLength, longest, memoryBudget, readings } = told
  const alike = known(readings, candidate, () => new Map<string, InferencePlan>())
  const plan = known(alike, [prompts, transfers, contextLength, longest.read, memoryBudget].join(), () => {
    const model = heldTo(size, memoryBudget)
    const own = size.part.prefillPhase(prompts, never)
    // A prompt may have all positions of the longest request but one.
    const { speculative } = size.part.generateProblem('max').workload
    const other = {
      transfers,
      positions: contextLength - 1,
      longestPositions: longest.read,
      ...present({ speculative }),
    }
    return assemble(model, { ...own, ...other }, candidate, rank, solver)
  })
  return { ...plan, rank }
}

/** Proves nothing of its layouts, as they need not be the best for this batch. */
function generateOf(
  generate: GenerateInstance,
  running: InferenceCandidate,
  told: Told,
  assemble = assembleInference,
) {
  const { model, phase } = generatingOf(generate, told)
  return assemble(model, phase, running, told.rank, null)
}

function generatingOf(
  { size }: GenerateInstance,
  { transfers, contextLength, maxSequences, longest, memoryBudget }: Told,
) {
  const model = heldTo(size, memoryBudget)
  const own = { transfers, positions: contextLength, maxSequences, longestPositions: longest.generated }
  return { model, phase: { ...size.part.generatePhase(never), ...own } }
}

function heldTo({ bench }: InstanceSize, memoryBudget: Bytes | undefined): InferenceModel {
  const { setting } = bench
  return memoryBudget === undefined ? bench : inferenceOn(bench, { ...setting, memoryBudget })
}
