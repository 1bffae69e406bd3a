/** How the best plan depends on each resource: elasticities of its step, and the next step of memory. */
import { budgetFor } from '../../cost/memory/budget.ts'
import { shortBytes } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import { onCluster, posed } from '../../cost/posed.ts'
import type { Accepts, Candidate } from '../../search/layouts/candidate.ts'
import type { Choices } from '../../search/layouts/consider.ts'
import { expandMesh } from '../../search/layouts/expand.ts'
import { createWorkbench } from '../../search/search.ts'
import type { Bytes } from '../../units.ts'
import { costing, stepSeconds } from '../account/costing.ts'
import type { Sensitivity } from '../answer.ts'
import { elasticities } from './elasticities.ts'
import { type Chosen, type MemoryStep, memoryQuotient, nextMemoryStep } from './memory-step.ts'

/** `accepts` restricts the policies that may be chosen again to plans that the search would accept. */
export function sensitivity(model: CostModel, best: Candidate, accepts: Accepts | null): Sensitivity {
  const { cluster, memoryBudget } = model.problem
  const stepTime = stepSeconds(model, best)
  const memoryStep = stepOfMemory(model, best, accepts)
  return {
    ...elasticities(cluster, (changed) => stepSeconds(onCluster(model, changed), best)),
    memory: memoryQuotient(memoryBudget, stepTime, memoryStep),
    memoryStep,
  }
}

function stepOfMemory(model: CostModel, best: Candidate, accepts: Accepts | null): MemoryStep | null {
  const { problem } = model
  const { memory, stepTime } = costing(model, best)
  const chosenWith = (memoryBudget: Bytes): Chosen | null => {
    const roomy = posed(model, { ...problem, memoryBudget })
    const chosen = expandMesh(
      createWorkbench(roomy, accepts),
      best.mesh,
      Number.POSITIVE_INFINITY,
      only(best),
    ).best
    if (!chosen) return null
    const bytes = shortBytes(memory, chosen.groups, chosen.mix, memory.reserve)
    return { bytes, seconds: stepSeconds(model, chosen) }
  }
  if (!problem.assumptions.tokensDivideFreely) {
    return nextMemoryStep(problem, stepTime, (bytes) => chosenWith(budgetFor(bytes, problem)))
  }
  // Fractional layers have no steps, so that 1 % more memory gives the slope.
  const budgetBytes = 1.01 * problem.memoryBudget
  const chosen = chosenWith(budgetBytes)
  return chosen && chosen.seconds < stepTime ? { budgetBytes, stepTimeSeconds: chosen.seconds } : null
}

/** All choices of a layout but its memory policy. */
function only({ zeroStage, microbatches, sequences, schedule, stageLayers, placement }: Candidate): Choices {
  return {
    zeroStages: [zeroStage],
    microbatchings: [{ microbatches, sequences }],
    schedules: () => [schedule],
    stageLayers,
    placements: [placement],
    nearest: false,
  }
}
