/** Suggestions in the words of the request: what the domain calls tokens of a batch may stand there as sequences. */
import type { Suggestion } from '../../src/plan/plan.ts'
import type { Answer } from '../question.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'

export function inWordsOf<T extends Answer>(request: OptimizeRequest, answer: T): T {
  const { infeasible } = answer
  if (!infeasible) return answer
  const suggestions = infeasible.suggestions.map((suggestion) => asWritten(request, suggestion))
  return { ...answer, infeasible: { ...infeasible, suggestions } }
}

function asWritten({ workload, hardware }: OptimizeRequest, suggestion: Suggestion): Suggestion {
  const { pointer, value } = suggestion
  if (pointer === '/hardware') return { ...suggestion, value: { ...hardware, ...(value as object) } }
  if (pointer !== '/workload/batchTokens' || workload.mode !== 'train') return suggestion
  if (workload.batchSequences === undefined) return suggestion
  const sequences = Number(value) / workload.sequenceLength
  return { ...suggestion, pointer: '/workload/batchSequences', value: sequences }
}
