/** The search itself, in the test's own thread, with no end to its time. */
import { evaluated, optimized, validated } from '../../api/worker/search-worker.ts'
import { endless } from '../../src/patience.ts'
import { atDesk } from './planners.ts'

const times = { waitedMs: 0, elapsedMs: 1 }

export const planning = atDesk({
  optimize: async (question) => ({ ...times, answer: optimized(question, endless) }),
  evaluate: async (trial) => ({ ...times, answer: evaluated(trial, endless) }),
  validate: async (inspection) => ({ ...times, answer: validated(inspection, endless) }),
})
