/** Exit codes of the command. For many files the gravest one counts. */
import type { ProblemSlug } from '../problems.ts'

export const exitCodes = {
  ok: 0,
  failed: 1,
  badInput: 2,
  infeasible: 3,
  deadline: 4,
  unavailable: 5,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const byGravity: readonly ExitCode[] = [0, 1, 3, 4, 2, 5]

export function gravest(codes: readonly ExitCode[]): ExitCode {
  return codes.reduce((worst, code) => (byGravity.indexOf(code) > byGravity.indexOf(worst) ? code : worst), 0)
}

const ofProblems: Partial<Record<ProblemSlug, ExitCode>> = {
  'timed-out': exitCodes.deadline,
  'not-offered': exitCodes.unavailable,
  'too-many-requests': exitCodes.unavailable,
  'internal-error': exitCodes.unavailable,
  overloaded: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
  draining: exitCodes.unavailable,
}

export function exitCodeOf(slug: ProblemSlug): ExitCode {
  return ofProblems[slug] ?? exitCodes.badInput
}
