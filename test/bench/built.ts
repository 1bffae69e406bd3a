/** Loads the built code, which is what runs in production: sources would pass through a loader that rewrites them. */
import type { CostModel } from '../../src/cost/model.ts'

const load = <Module>(path: string): Promise<Module> =>
  import(new URL(`../../dist/${path}.js`, import.meta.url).href)

export const { loadCatalogue } = await load<typeof import('../../api/catalogue.ts')>('api/catalogue')
export const { optimizeRequest } =
  await load<typeof import('../../api/schemas/optimize.ts')>('api/schemas/optimize')
export const { problemOf } =
  await load<typeof import('../../api/translate/problem.ts')>('api/translate/problem')
export const { javascriptLpSolver } = await load<typeof import('../../solvers/javascript-lp-solver.ts')>(
  'solvers/javascript-lp-solver',
)
export const { costModel } =
  await load<typeof import('../../src/cost/compiled-model.ts')>('src/cost/compiled-model')
export const { shortBytes } = await load<typeof import('../../src/cost/memory/stage-memory.ts')>(
  'src/cost/memory/stage-memory',
)
export const { fittingMixes } =
  await load<typeof import('../../src/cost/memory/remat.ts')>('src/cost/memory/remat')
export const { createStepScratch } =
  await load<typeof import('../../src/cost/step/stage-time.ts')>('src/cost/step/stage-time')
export const { stepTime } = await load<typeof import('../../src/cost/step/step.ts')>('src/cost/step/step')
export const { optimized } = await load<typeof import('../../src/modes/modes.ts')>('src/modes/modes')
export const { endless } = await load<typeof import('../../src/patience.ts')>('src/patience')
export const { costing } =
  await load<typeof import('../../src/plan/account/costing.ts')>('src/plan/account/costing')
export const { expandMesh } =
  await load<typeof import('../../src/search/layouts/expand.ts')>('src/search/layouts/expand')
export const { relaxMemoryPolicy, solveMemoryPolicy } = await load<
  typeof import('../../src/search/memory-policy/memory-policy.ts')
>('src/search/memory-policy/memory-policy')
export const { enumerateMeshes } =
  await load<typeof import('../../src/search/meshes/meshes.ts')>('src/search/meshes/meshes')
const searching = await load<typeof import('../../src/search/search.ts')>('src/search/search')
export const { createWorkbench } = searching

/** The search of one cost model, as test/search.ts has it of the sources. */
export const search = (model: CostModel) =>
  searching.searchSpaces([searching.spaceOf(createWorkbench(model))], model.problem.top, () => false)
