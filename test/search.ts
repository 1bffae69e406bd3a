/** The search of training, of one cost model alone. */
import type { CostModel } from '../src/cost/model.ts'
import { never, type Stop } from '../src/patience.ts'
import type { Accepts } from '../src/search/layouts/candidate.ts'
import { createWorkbench, searchSpaces, spaceOf } from '../src/search/search.ts'
import type { SearchResult } from '../src/search/search-result.ts'

/** Searches one cost model; plans that are not accepted are not listed. */
export function search(model: CostModel, accepts: Accepts | null = null, stop: Stop = never): SearchResult {
  return searchSpaces([spaceOf(createWorkbench(model, accepts, stop))], model.problem.top, stop)
}
