/**
 * Candidates a second on one core, warm, without pruning: a mesh expanded whole (every ZeRO stage, microbatch,
 * schedule, memory policy and placement), and one step time alone. The meshes are a fixed sample of each question's:
 * every nth of them, in the order of the enumeration. The ratio `step times/layout` hardly depends on the machine.
 */
import { costModel } from '../../src/cost/compiled-model.ts'
import { stepTime } from '../../src/cost/step/step.ts'
import { costing } from '../../src/plan/account/costing.ts'
import { expandMesh } from '../../src/search/layouts/expand.ts'
import { enumerateMeshes } from '../../src/search/meshes/meshes.ts'
import { createWorkbench } from '../../src/search/search.ts'
import { search } from '../search.ts'
import { problemNamed } from './questions.ts'
import { repeated } from './stopwatch.ts'

const sampled = 40
const runs = 7
const steps = 100_000

export function evaluationRow(name: string) {
  const problem = problemNamed(name)
  const model = costModel(problem)
  const bench = createWorkbench(model)
  const { allowed } = enumerateMeshes(problem)
  const meshes = allowed.filter((_, index) => index % Math.ceil(allowed.length / sampled) === 0)
  let layouts = 0
  const expand = () => {
    layouts = 0
    for (const mesh of meshes) {
      const { evaluated, pruned, memory } = expandMesh(bench, mesh, Number.POSITIVE_INFINITY)
      layouts += evaluated + pruned + memory
    }
  }
  expand()
  const expansion = repeated(runs, expand)

  const [best] = search(model).candidates
  if (!best) throw new Error(`${name}: nothing fits`)
  const numbers = costing(model, best)
  const step = () => {
    for (let i = 0; i < steps; i++) stepTime(numbers, best.mix, 'expected')
  }
  step()
  const stepping = repeated(runs, step)
  return {
    question: name,
    meshes: meshes.length,
    layouts,
    'layouts/s': (1000 * layouts) / expansion.median,
    'us/layout': (1000 * expansion.median) / layouts,
    'step times/s': (1000 * steps) / stepping.median,
    'us/step time': (1000 * stepping.median) / steps,
    'step times/layout': (expansion.median / layouts) * (steps / stepping.median),
    'slowest/fastest run': expansion.most / expansion.least,
  }
}
