/** The search itself, in the test's own thread, with no end to its time. */

import type { Search } from '../../api/search.ts'
import { evaluated, optimized } from '../../api/search-worker.ts'
import { endless } from '../../src/patience.ts'

const times = { waitedMs: 0, elapsedMs: 1 }

export const planning: Search = {
  occupancy: () => ({ running: 0, waiting: 0 }),
  optimize: async (question) => ({ ...times, answer: optimized(question, endless) }),
  evaluate: async (trial) => ({ ...times, answer: evaluated(trial) }),
}
