/** A deployment with its two phases as plans: what goes out. Rates and costs are those at which it runs. */
import type { Solver } from '../../../solvers/linear-program.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { fastestOf } from '../../inference/search.ts'
import { generationPhase, stepPasses } from '../../modes/generate/phase.ts'
import { prefillPhase } from '../../modes/prefill/phase.ts'
import type { Sized } from '../../modes/serve/counts.ts'
import type { GenerateInstance, PrefillInstance } from '../../modes/serve/instance.ts'
import { sustained } from '../../modes/serve/operation.ts'
import type { Requests } from '../../modes/serve/requests.ts'
import { reshardSeconds } from '../../modes/serve/storage.ts'
import { tokenCost } from '../account/token-cost.ts'
import { serveUncertaintyOf } from '../certainty/uncertainty.ts'
import { planId } from '../identity.ts'
import { assembleInference } from '../inference/assemble.ts'
import type { PhasePlan, ServePlan } from '../inference-plan.ts'
import { serveExplanation } from './explanation.ts'
import { chipsText, instanceText } from './instance-text.ts'

/**
 * Null only for a deployment whose operating batch does not fit, which none that was found is. `rival` is the best of the
 * other kind, null where there is none, absent where it was not asked for.
 */
export function assembleServe(
  deployment: Sized,
  requests: Requests,
  rank: number,
  solver: Solver,
  rival?: Sized | null,
): ServePlan | null {
  const { pair, operation, chips, prefills, generates } = deployment
  const { disaggregated, prefill, generate, copyBytes } = pair
  const running = runningCandidate(generate, operation.batch)
  if (!running) return null
  const prefillChips = disaggregated ? prefills * prefill.size.cluster.chips : chips
  const generateChips = disaggregated ? chips - prefillChips : chips
  const prefillPlan: PhasePlan = {
    ...prefillOf(prefill, rank, solver, disaggregated),
    chips: prefillChips,
    chipsPerInstance: prefill.size.cluster.chips,
    instances: prefills,
    utilization: operation.prefillUtilization,
  }
  const generatePlan: PhasePlan = {
    ...generateOf(generate, running, rank, disaggregated),
    chips: generateChips,
    chipsPerInstance: generate.size.cluster.chips,
    instances: generates,
    utilization: operation.generateUtilization,
  }
  const tokensPerSecond = operation.rate * requests.outputLength
  const best = requests.rate === null ? operation : sustained(deployment, requests)
  const { transfer } = operation
  const requestsPerSecond = Math.max(operation.rate, best?.rate ?? 0)
  const plan = {
    rank,
    feasible: true,
    id: planId([disaggregated, prefillPlan.id, prefills, generatePlan.id, generates]),
    summary: summary(deployment),
    disaggregated,
    chips,
    prefill: prefillPlan,
    generate: generatePlan,
    ratio: prefills / generates,
    requestsPerSecond,
    uncertainty: serveUncertaintyOf(generate.size.bench.setting, generatePlan.launch, requestsPerSecond),
    timeToFirstTokenSeconds: operation.firstSeconds,
    timePerOutputTokenSeconds: operation.tokenSeconds,
    requestSeconds: operation.requestSeconds,
    ...tokenCost(generate.size.cluster.chip, chips, tokensPerSecond, 'output'),
    tokensPerSecondPerChip: tokensPerSecond / chips,
    queueing: {
      model:
        'Poisson arrivals in one queue for all prefill instances, constant service (M/D/c); then a place in a batch, held for a time taken as exponential (M/M/c)',
      arrivalsPerSecond: operation.rate,
      waitSeconds: operation.queueSeconds + operation.slotSeconds,
    },
    kvTransfer: transfer && {
      bytesPerRequest: transfer.bytes,
      seconds: transfer.seconds,
      streamedPerLayer: true,
    },
    secondLayout:
      copyBytes > 0
        ? {
            copyBytesPerChip: copyBytes,
            reshardSeconds: reshardSeconds(generate.size.bench, generate.chosen, prefill.candidate),
          }
        : null,
  }
  return { ...plan, explanation: serveExplanation(plan, deployment, requests, rival) }
}

export function runningCandidate({ size, site }: GenerateInstance, batch: number): InferenceCandidate | null {
  const { workload } = size.generateProblem(batch)
  return fastestOf(size.bench, site, stepPasses(size.bench, workload, batch, site.mesh))
}

function prefillOf(
  { size, candidate, prompts }: PrefillInstance,
  rank: number,
  solver: Solver,
  transfers: boolean,
) {
  const phase = { ...prefillPhase(size.bench, size.prefillProblem(prompts)), transfers }
  return assembleInference(size.bench, phase, candidate, rank, solver)
}

/** Its layouts need not be the best of this batch, so that nothing is proven of them. */
export function generateOf(
  { size }: GenerateInstance,
  running: InferenceCandidate,
  rank: number,
  transfers = false,
) {
  const problem = size.generateProblem(running.pass.resident.sequences)
  const phase = { ...generationPhase(size.bench, problem), transfers }
  return assembleInference(size.bench, phase, running, rank, null)
}

function summary({ pair, prefills, generates, operation, chips }: Sized): string {
  const { disaggregated, prefill, generate } = pair
  const generating = instanceText(generates, generate.size.cluster, generate.site.mesh)
  const batch = `batch ${operation.batch}`
  if (!disaggregated) {
    const same = instanceText(generates, prefill.size.cluster, prefill.candidate.mesh) === generating
    const other = same
      ? ''
      : `, prefill as ${instanceText(null, prefill.size.cluster, prefill.candidate.mesh)}`
    return `${chipsText(chips)}: ${generating} for both phases${other}, ${batch}`
  }
  const prefilling = instanceText(prefills, prefill.size.cluster, prefill.candidate.mesh)
  return `${chipsText(chips)}: prefill ${prefilling}, generate ${generating}, ${batch}`
}
