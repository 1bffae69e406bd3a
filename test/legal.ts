/** What was evaluated of a plan that has to be legal: the test fails with what is illegal about it. */
import type { PlanFault } from '../src/rules/part-rule.ts'

export function legal<Answer extends object>(
  answer: Answer | { readonly illegal: readonly PlanFault[] },
): Answer {
  if ('illegal' in answer) throw new RangeError(JSON.stringify(answer.illegal))
  return answer
}
