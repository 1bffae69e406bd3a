/** Suggestions in the words of the request: a batch that the domain counts in tokens may be given in sequences there. */
import type { z } from 'zod'
import type { Answer } from '../../../src/modes/question.ts'
import type { Suggestion } from '../../../src/plan/answer.ts'
import type { Change } from '../../../src/rules/part-rule.ts'
import { inReadRequest } from '../../../src/validation/read-request.ts'
import { changed } from '../../hints/change.ts'
import { type OptimizeRequest, optimizeRequest } from '../../schemas/optimize.ts'

export function inWordsOf<T extends Answer>(request: OptimizeRequest, answer: T): T {
  const { infeasible } = answer
  if (!infeasible) return answer
  const suggestions = asWritten(request, infeasible.suggestions, optimizeRequest)
  return { ...answer, infeasible: { ...infeasible, suggestions } }
}

/** Drops suggestions that the schema does not allow, such as a step of a year. */
export function asWritten(
  request: OptimizeRequest,
  suggestions: readonly Suggestion[],
  schema: z.ZodType,
): readonly Suggestion[] {
  return suggestions
    .map((suggestion) => inWords(request, suggestion))
    .filter(({ also = [], ...own }) => schema.safeParse(changed(request, [own, ...also])).success)
}

/** A suggestion for what a launch file was read into. */
export function suggestedInRead({ also, ...suggestion }: Suggestion): Suggestion {
  return { ...inReadRequest(suggestion), ...(also ? { also: also.map(inReadRequest) } : {}) }
}

export function inWords<Written extends Change>(
  { workload, hardware }: OptimizeRequest,
  suggestion: Written,
): Written {
  const { pointer, value } = suggestion
  if (pointer === '/hardware') return { ...suggestion, value: { ...hardware, ...(value as object) } }
  if (pointer !== '/workload/batchTokens' || workload.mode !== 'train') return suggestion
  if (workload.batchSequences === undefined) return suggestion
  const sequences = Number(value) / workload.sequenceLength
  return { ...suggestion, pointer: '/workload/batchSequences', value: sequences }
}
