/** The search itself, in the test's own thread, without a time limit. */
import type { Search } from '../../api/queue/search.ts'
import { compareBody } from '../../api/worker/comparison.ts'
import { evaluateBody, evaluateQuestion } from '../../api/worker/desk.ts'
import { regretOf } from '../../api/worker/regret.ts'
import { replied } from '../../api/worker/reply.ts'
import { costs, evaluated, optimized, validated } from '../../api/worker/search-worker.ts'
import { endless } from '../../src/patience.ts'
import { atDesk, catalogue } from './planners.ts'

const times = { waitedMs: 0, elapsedMs: 1 }

const single = atDesk(
  {
    optimize: async (question) => ({ ...times, answer: optimized(question, endless) }),
    evaluate: async (trial) => ({ ...times, answer: evaluated(trial, endless) }),
    validate: async (inspection) => ({ ...times, answer: validated(inspection, endless) }),
  },
  costs(endless),
)

export const planning: Search = {
  ...single,
  evaluate: async (request, terms) => {
    if (!('regret' in request) || !request.regret) return single.evaluate(request, terms)
    const asked = evaluateQuestion(request, catalogue)
    const verdict = evaluated(asked.trial, endless)
    const found = regretOf(asked.trial, verdict, { optimized }, endless)
    return { ...times, answer: replied(() => evaluateBody(asked, verdict, found, costs(endless))) }
  },
  compare: async (comparison) => {
    const answer = replied(() => compareBody(comparison, catalogue, { optimized, evaluated }, endless))
    return { ...times, answer }
  },
}
