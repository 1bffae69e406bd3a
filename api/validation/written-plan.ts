/** Requests with a plan that somebody wrote: in fields, or as a launch file, which has a schema of its own so that faults are told by it. */
import {
  type EvaluateLaunchRequest,
  type EvaluateRequest,
  evaluateLaunchRequest,
  evaluateRequest,
} from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import {
  type ValidateLaunchRequest,
  type ValidateRequest,
  validateLaunchRequest,
  validateRequest,
} from '../schemas/validate.ts'
import { validated } from './request-validation.ts'

export function evaluateAsked(body: unknown): EvaluateRequest | EvaluateLaunchRequest {
  return isLaunch(body) ? validated(evaluateLaunchRequest, body) : validated(evaluateRequest, body)
}

export function validateAsked(body: unknown): ValidateRequest | ValidateLaunchRequest {
  return isLaunch(body) ? validated(validateLaunchRequest, body) : validated(validateRequest, body)
}
