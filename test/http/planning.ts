/** The search itself, in the test's own thread. */

import type { Search } from '../../api/search.ts'
import { evaluate, optimize } from '../../api/search-worker.ts'

export const planning: Search = {
  occupancy: () => ({ running: 0, waiting: 0 }),
  optimize: async (question) => optimize(question),
  evaluate: async (trial) => evaluate(trial),
}
