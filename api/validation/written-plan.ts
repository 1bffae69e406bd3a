/**
 * Validates requests with a written plan: as fields, as a deployment, or as a launch file. Each has its own schema, so
 * that faults are reported in its terms.
 */
import {
  type EvaluateAsked,
  type EvaluateRequest,
  type EvaluateServeRequest,
  evaluateLaunchRequest,
  evaluateRequest,
  evaluateServeRequest,
} from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import {
  type ValidateAsked,
  type ValidateRequest,
  type ValidateServeRequest,
  validateLaunchRequest,
  validateRequest,
  validateServeRequest,
} from '../schemas/validate.ts'
import { valueAt } from './json-pointer.ts'
import { launchValidated } from './pasted-back.ts'
import { validated } from './request-validation.ts'

export function evaluateAsked(body: unknown): EvaluateAsked {
  return isLaunch(body) ? launchValidated(evaluateLaunchRequest, body) : evaluateWritten(body)
}

export function evaluateWritten(body: unknown): EvaluateRequest | EvaluateServeRequest {
  return isServe(body) ? validated(evaluateServeRequest, body) : validated(evaluateRequest, body)
}

export function validateAsked(body: unknown): ValidateAsked {
  return isLaunch(body) ? launchValidated(validateLaunchRequest, body) : validateWritten(body)
}

export function validateWritten(body: unknown): ValidateRequest | ValidateServeRequest {
  return isServe(body) ? validated(validateServeRequest, body) : validated(validateRequest, body)
}

function isServe(body: unknown): boolean {
  return valueAt(body, ['workload', 'mode']) === 'serve'
}
