/**
 * Turns a validated request into a planner's question, and the planner's answer into the body of the response in the
 * words of the request. All that takes longer for larger numbers in a request happens here or behind it, in a worker,
 * under the deadline.
 */
import { collectiveEstimate } from '../../src/collectives.ts'
import { present } from '../../src/fields.ts'
import { type LaunchReading, writtenFor } from '../../src/launch/read/reading.ts'
import type { Answer, Inspection, Trial, Verdict } from '../../src/modes/question.ts'
import type { Suggestion } from '../../src/plan/answer.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { Regret, ServeRegret } from '../../src/plan/regret.ts'
import type { Validation } from '../../src/validate.ts'
import type { Check } from '../../src/validation/check.ts'
import { goneWith } from '../../src/validation/costed-with.ts'
import type { Catalogue } from '../catalogue.ts'
import { type Fault, faultyValue, ProblemError } from '../problems.ts'
import { timedOut } from '../queue/deadline.ts'
import type { CollectiveRequest } from '../schemas/collective.ts'
import {
  type EvaluateAsked,
  type EvaluateRequest,
  type EvaluateServeRequest,
  evaluateRequest,
  evaluateServeRequest,
} from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import type { LaunchRead } from '../schemas/launch-read.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateAsked, ValidateRequest, ValidateServeRequest } from '../schemas/validate.ts'
import { checkedInRead, checksAsWritten } from '../translate/answer/check.ts'
import {
  inWordsOf,
  suggestedInRead,
  asWritten as suggestionsAsWritten,
} from '../translate/answer/suggestion.ts'
import { assumptionsOf, basisOf, saidOf } from '../translate/assumptions.ts'
import { refuseUnbinding } from '../translate/bottlenecks.ts'
import { hardwareOf } from '../translate/hardware.ts'
import { refuseAnotherModel } from '../translate/launch/another-model.ts'
import { cutOffChecks } from '../translate/launch/cut-off.ts'
import { launchKey } from '../translate/launch/file.ts'
import { launchWarnings, spelledOut } from '../translate/launch/launch.ts'
import { misspeltChecks } from '../translate/launch/misspelt.ts'
import { unreadChecks } from '../translate/launch/unread.ts'
import { refuseUnpriced } from '../translate/prices.ts'
import { problemOf, type Translation } from '../translate/problem.ts'
import { asWritten, trialOf } from '../translate/trial.ts'
import { evaluateWritten, validateWritten } from '../validation/written-plan.ts'
import { asLaunched, launchedByItsOwn } from './check-launcher.ts'
import { doubtsAmong } from './doubts.ts'
import { withoutUnheld, withRefusals } from './file-checks.ts'
import { refuseUncosted } from './not-offered.ts'
import { type Costs, changesToldIn, fileOf } from './told-in-file.ts'

export function optimizeQuestion(request: OptimizeRequest, catalogue: Catalogue): Translation {
  const translation = problemOf(request, catalogue)
  const { problem } = translation
  refuseUncosted(problem.model, problem.workload)
  refuseUnpriced(problem)
  return translation
}

export function optimizeBody(request: OptimizeRequest, { mode, warnings }: Translation, answer: Answer) {
  const { plans, unlaunchable, search } = answer
  if (plans.length === 0 && !unlaunchable && !search.exact) {
    const left = `${search.unexamined} of ${search.enumerated} layouts were not looked at${search.unbegun > 0 ? ` (${search.unbegun} stand for what was not even listed)` : ''}, and no plan was found`
    throw timedOut(request.timeoutMs, left)
  }
  return { mode, ...inWordsOf(request, answer), warnings: [...warnings, ...answer.warnings] }
}

export type OptimizeBody = ReturnType<typeof optimizeBody>

/** A request as it is answered: a launch file is replaced by the plan that it describes. */
interface Spelled<Request> {
  readonly request: Request
  readonly read: LaunchRead | null
  /** The launch file; empty if there is none. */
  readonly file: string
  readonly warnings: readonly string[]
}

export interface Asked extends Spelled<EvaluateRequest | EvaluateServeRequest> {
  readonly trial: Trial
  /** Null if there is no launch file. */
  readonly reading: LaunchReading | null
}

export function evaluateQuestion(asked: EvaluateAsked, catalogue: Catalogue): Asked {
  const { request, reading, read } = isLaunch(asked)
    ? spelledOut(asked, evaluateWritten, catalogue)
    : { request: asked, reading: null, read: null }
  return { request, reading, read, file: fileOf(asked), ...trialIn(request, reading, catalogue) }
}

export function evaluateBody(
  { request, trial, read, reading, file, warnings }: Asked,
  verdict: Verdict,
  regret?: Regret | ServeRegret | null,
  costs: Costs = () => null,
) {
  if ('illegal' in verdict) {
    const faults = asWritten(verdict.illegal, request.plan).map((fault) =>
      read ? uncorrected(fault) : fault,
    )
    throw new ProblemError('illegal-plan', faults[0]?.detail ?? 'The plan is illegal.', faults)
  }
  const { suggestions } = verdict
  const offered = suggestionsAsWritten(request, suggestions ?? [], schemaOf(request))
  const told =
    read && changesToldIn(read, { text: file, reading }, { request, trial, plan: verdict.plan }, costs)
  const inItsFile = (one: Suggestion) => {
    const { pointer, value, also = [] } = one
    return { ...suggestedInRead(one), ...told?.([{ pointer, value }, ...also]) }
  }
  return {
    mode: trial.mode,
    ...verdict,
    ...(suggestions ? { suggestions: read ? offered.map(inItsFile) : offered } : {}),
    ...(read ? { read } : {}),
    ...(regret === undefined ? {} : { regret }),
    warnings: [...warnings, ...verdict.warnings],
  }
}

/** A launch file has no such field, and a fault's answer has no \`read\`: what would do is only told. */
function uncorrected({ correction: _, ...fault }: Fault): Fault {
  return fault
}

/** Chosen by the mode, which the request was validated with. */
function schemaOf({ workload }: EvaluateRequest | EvaluateServeRequest) {
  return workload.mode === 'serve' ? evaluateServeRequest : evaluateRequest
}

export type EvaluateBody = ReturnType<typeof evaluateBody>

export interface Examined extends Spelled<ValidateRequest | ValidateServeRequest> {
  readonly inspection: Inspection
  readonly reading: LaunchReading | null
  /** Checks of the launch file itself, besides those of its plan. */
  readonly ofFile: readonly Check[]
}

export function validateQuestion(asked: ValidateAsked, catalogue: Catalogue): Examined {
  const { request, reading, read } = isLaunch(asked)
    ? launchedByItsOwn(spelledOut(asked, validateWritten, catalogue))
    : { request: asked, reading: null, read: null }
  const { trial, warnings } = trialIn(asLaunched(request), reading, catalogue)
  refuseUnbinding(request.require, trial.problem.cluster)
  const asksFile = isLaunch(asked) && request.require.understood !== false
  const at = isLaunch(asked) ? `/plan/${launchKey(asked.plan)}` : ''
  const ofFile = asksFile
    ? [...cutOffChecks(reading ?? {}, at), ...misspeltChecks(reading, at), ...unreadChecks(reading, at)]
    : []
  const inspection = { trial, require: request.require }
  return { request, read, reading, file: fileOf(asked), inspection, ofFile, warnings }
}

export function validateBody(
  { request, inspection, read, reading, file, ofFile, warnings }: Examined,
  validation: Validation<Plan | ServePlan>,
  costs: Costs = () => null,
) {
  const checks = checksAsWritten(request, validation.checks)
  const { plan } = validation
  const inItsFile =
    read &&
    plan &&
    changesToldIn(read, { text: file, reading }, { request, trial: inspection.trial, plan }, costs)
  const ofPlan = read ? checks.map((check) => checkedInRead(check, inItsFile)) : checks
  const all = [
    ...ofFile,
    ...withRefusals(withoutUnheld(ofPlan, reading), reading, request.require.launchableBy),
  ]
  const told = [...warnings, ...validation.warnings]
  return {
    mode: inspection.trial.mode,
    ...validation,
    ok: all.every(({ ok }) => ok),
    checks: all,
    ...(read ? { read } : {}),
    warnings: told,
    ...doubtsAmong(told, { reading, search: validation.search, problem: inspection.trial.problem, plan }),
  }
}

export type ValidateBody = ReturnType<typeof validateBody>

export function trialIn(
  request: EvaluateRequest | EvaluateServeRequest,
  reading: LaunchReading | null,
  catalogue: Catalogue,
): Pick<Asked, 'trial' | 'warnings'> {
  const { warnings, ...question } = problemOf(request, catalogue)
  const { model, workload } = question.problem
  refuseUncosted(model, workload)
  refuseAnotherModel(reading, model)
  const framework = reading ? writtenFor(reading.framework) : undefined
  const file = framework ? { file: framework } : {}
  const asked = trialOf(question, request.plan, reading !== null && !framework)
  const trial = { ...asked, ...costedWith(request, reading, catalogue), ...file }
  return { trial, warnings: [...warnings, ...launchWarnings(reading)] }
}

/** What the plan alone is costed with, on top of the assumptions of the request. */
function costedWith(
  { plan, ...request }: EvaluateRequest | EvaluateServeRequest,
  reading: LaunchReading | null,
  catalogue: Catalogue,
): Pick<Trial, 'costedWith'> {
  const written = 'costedWith' in plan ? plan.costedWith : undefined
  if (!written) return {}
  const own = saidOf(request.assumptions)
  const costing = (said: typeof written) => {
    const asked = { ...request, assumptions: { ...own, ...said } }
    const { assumptions, runBy } = problemOf(asked, catalogue).problem
    return { assumptions, ...present({ runBy }) }
  }
  const names = Object.keys(written) as (keyof typeof written)[]
  const lacking = reading?.lacking ?? {}
  const others = names.flatMap((name) => {
    const gone = goneWith(name, names, lacking)
    const rest = Object.fromEntries(
      Object.entries(written).filter(([one]) => !gone.some((own) => own === one)),
    )
    return gone.length < names.length ? [{ names: gone, costing: costing(rest) }] : []
  })
  return { costedWith: { ...costing(written), written, lacking, others } }
}

export function collectiveBody(request: CollectiveRequest, catalogue: Catalogue) {
  const { hardware, op, bytes, over } = request
  const { cluster } = hardwareOf(hardware, basisOf(request.assumptions), catalogue)
  const assumptions = assumptionsOf(request.assumptions, cluster.chip, catalogue)
  const estimate = collectiveEstimate({ cluster, op, bytes, over, assumptions })
  if ('problem' in estimate) throw faultyValue('impossible-combination', estimate.problem)
  return estimate
}

export type CollectiveBody = ReturnType<typeof collectiveBody>
