/** A deployment as it is answered, with its two phases as plans. Rates and costs are those at which it runs. */
import type { Solver } from '../../../solvers/linear-program.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { routerLaunch } from '../../launch/router.ts'
import { draftsAsked } from '../../launch/server/drafts.ts'
import { serverLaunch } from '../../launch/serving.ts'
import { longestRead, longestWithRoom } from '../../modes/serve/longest.ts'
import { mostRate } from '../../modes/serve/most-rate.ts'
import { longestPrompt, type Requests } from '../../modes/serve/requests.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import { reshardSeconds } from '../../modes/serve/storage.ts'
import type { Bytes } from '../../units.ts'
import { tokenCost } from '../account/token-cost.ts'
import { serveUncertaintyOf } from '../certainty/uncertainty.ts'
import { counted } from '../explain/figures.ts'
import { planId } from '../identity.ts'
import type { PhasePlan, ServePlan } from '../inference-plan.ts'
import type { MemoryAccount } from '../plan.ts'
import { serveExplanation } from './explanation.ts'
import { instanceText } from './instance-text.ts'
import { type Made, madeApart, madeTogether, type Readings, runningCandidate } from './phase-plans.ts'

export interface Assembling {
  readonly rank: number
  readonly solver: Solver
  readonly rival?: Sized | null | undefined
  /** The requested budget, if the deployment was searched with more. */
  readonly memoryBudget?: Bytes | undefined
  /** Kept for other deployments of the answer, which have the same solver. */
  readonly readings?: Readings
  /** Requests a second, if it was found without the limits within which so many are planned for. */
  readonly planned?: number | undefined
}

/**
 * Null only if the operating batch does not fit, which never happens for a deployment that was found. `rival` is the
 * best of the other kind (phases apart or together), null if there is none, undefined if it was not searched.
 */
export function assembleServe(
  deployment: Sized,
  requests: Requests,
  { rank, solver, rival, memoryBudget, planned, readings = new WeakMap() }: Assembling,
): ServePlan | null {
  const { pair, operation, chips, prefills, generates } = deployment
  const { disaggregated, prefill, generate, copyBytes } = pair
  const places = pair.slots + (disaggregated ? 0 : prefill.prompts)
  const maxSequences = pair.maxSequences ?? places
  const running = runningCandidate(generate, operation.batch)
  const full = runningCandidate(generate, places)
  if (!running || !full) return null
  const { contextLength } = requests
  const generated = longestWithRoom(pair, requests, {
    stepTokens: operation.stepTokens,
    budget: memoryBudget,
  })
  const read = disaggregated ? longestRead(prefill, requests, memoryBudget) : contextLength - 1
  // Behind the longest prompt comes one token at least.
  const longestPositions = read === 0 ? 0 : Math.min(generated, read + 1)
  const told = {
    rank,
    solver,
    memoryBudget,
    transfers: disaggregated,
    contextLength,
    maxSequences,
    longest: { read, generated },
    readings,
  }
  const made = (disaggregated ? madeApart : madeTogether)(pair, told, { running, full })
  const phases = phasePlans(deployment, made)
  const launch = launchOf(deployment, requests, made, { full, maxSequences, longestPositions })
  const tokensPerSecond = operation.rate * requests.outputLength
  const paid = requests.rate === null ? requests.pool : chips
  const requestsPerSecond = planned ?? mostRate(deployment, requests)
  const { setting } = generate.size.bench
  const plan = {
    rank,
    feasible: true,
    id: planId([disaggregated, phases.prefill.id, prefills, phases.generate.id, generates]),
    summary: summary(deployment),
    disaggregated,
    chips,
    idleChips: paid - chips,
    maxSequences,
    roomSequences: places,
    longestPositions,
    stepTokens: operation.stepTokens,
    contextLength,
    ...phases,
    ratio: prefills / generates,
    requestsPerSecond,
    uncertainty: serveUncertaintyOf(setting, launch, requestsPerSecond),
    againstFirst: null,
    timeToFirstTokenSeconds: operation.firstSeconds,
    timePerOutputTokenSeconds: operation.tokenSeconds,
    longestTokenSeconds: operation.gapSeconds,
    requestSeconds: operation.requestSeconds,
    ...tokenCost(generate.size.cluster.chip, paid, tokensPerSecond, 'output'),
    tokensPerSecondPerChip: tokensPerSecond / paid,
    queueing: {
      model:
        'Poisson arrivals in one queue for all prefill instances, constant service (M/D/c); then a place in a batch, held for a time taken as exponential (M/M/c)',
      arrivalsPerSecond: operation.rate,
      waitSeconds: operation.queueSeconds + operation.slotSeconds,
    },
    kvTransfer: operation.transfer && {
      bytesPerRequest: operation.transfer.bytes,
      seconds: operation.transfer.seconds,
      streamedPerLayer: false,
    },
    secondLayout:
      copyBytes > 0
        ? {
            copyBytesPerChip: copyBytes,
            reshardSeconds: reshardSeconds(generate.size.bench, generate.chosen, prefill.candidate),
          }
        : null,
  }
  return { ...plan, explanation: serveExplanation(plan, deployment, requests, rival), launch }
}

function phasePlans(
  { pair, operation, chips, prefills, generates }: Sized,
  { reading, generating, filled }: Made,
): Pick<ServePlan, 'prefill' | 'generate'> {
  const { disaggregated } = pair
  const { cluster } = pair.prefill.size
  const prefillChips = disaggregated ? prefills * cluster.chips : chips
  return {
    prefill: {
      ...reading,
      ...instanceOf(cluster),
      chips: prefillChips,
      instances: prefills,
      utilization: operation.prefillUtilization,
    },
    generate: {
      ...generating,
      launch: disaggregated ? timedAs(filled.launch, generating.launch) : {},
      ...instanceOf(pair.generate.size.cluster),
      chips: disaggregated ? chips - prefillChips : chips,
      instances: generates,
      utilization: operation.generateUtilization,
    },
  }
}

/** How to start the router, or the servers that do both phases. */
function launchOf(
  { pair, operation, prefills, generates }: Sized,
  requests: Requests,
  { reading, filled }: Made,
  { full, maxSequences, longestPositions }: Full,
): ServePlan['launch'] {
  const { setting } = pair.generate.size.bench
  const { frameworks } = setting.assumptions
  if (pair.disaggregated) {
    return routerLaunch({ prefill: reading.launch, generate: filled.launch, prefills, generates, frameworks })
  }
  const memory = fuller(filled.memoryBytes, reading.memoryBytes, pair.copyBytes)
  const limits = { maxSequences, stepTokens: operation.stepTokens ?? 0 }
  const { contextLength } = requests
  const drafts = draftsAsked(pair.generate.size.part.generateProblem('max'))
  const read = { longestPrompt: longestPrompt(requests), contextLength, longestPositions }
  const told = { ...read, memory, limits, drafts }
  return serverLaunch(setting, full, pair.prefill.candidate, told)
}

/** A server with as many sequences as it has room for, and what it is told. */
interface Full {
  readonly full: InferenceCandidate
  readonly maxSequences: number
  readonly longestPositions: number
}

/** Uses the step time of the sequences that run, not that at the limits. */
function timedAs(told: PhasePlan['launch'], { stepTimeSeconds }: PhasePlan['launch']): PhasePlan['launch'] {
  return stepTimeSeconds === undefined ? told : { ...told, stepTimeSeconds }
}

function instanceOf({
  chips,
  network,
}: Cluster): Pick<PhasePlan, 'chipsPerInstance' | 'topology' | 'slices'> {
  const lying =
    network.kind === 'torus'
      ? { topology: network.topology, slices: network.slices }
      : { topology: null, slices: 1 }
  return { chipsPerInstance: chips, ...lying }
}

/** Memory of a full server that also reads prompts: the larger of the two workspaces, and both copies of the weights. */
function fuller(generate: MemoryAccount, prefill: MemoryAccount, copyBytes: Bytes): MemoryAccount {
  const workspace = Math.max(generate.workspace, prefill.workspace)
  const parameters = generate.parameters + copyBytes
  return {
    ...generate,
    workspace,
    parameters,
    total: generate.total + workspace - generate.workspace + copyBytes,
  }
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
    return `${counted(chips, 'chip')}: ${generating} for both phases${other}, ${batch}`
  }
  const prefilling = instanceText(prefills, prefill.size.cluster, prefill.candidate.mesh)
  return `${counted(chips, 'chip')}: prefill ${prefilling}, generate ${generating}, ${batch}`
}
