/** Whether anything fits at all: memory alone, no times; the meshes that shard most are tried first. */

import { computeNumbers } from '../cost/microbatch.ts'
import { costModel, stageModel } from '../cost/model.ts'
import { memoryNumbers } from '../cost/remat.ts'
import { createScale, setBatch, setMesh } from '../cost/term.ts'
import { placements } from '../hardware/placement.ts'
import type { Problem } from '../problem.ts'
import { choiceAllowed, microbatchChoices, scheduleChoices, zeroChoices } from './choices.ts'
import { enumerateMeshes } from './meshes.ts'
import { anyCutFits, stageCuts } from './stage-cuts.ts'

export function anythingFits(problem: Problem): boolean {
  // A ring holds no keys but its own: nothing needs less.
  const leanest = problem.assumptions.contextLayouts.includes('ring') ? 'ring' : 'gather'
  const model = costModel(problem, leanest)
  const scale = createScale()
  const { allowed } = enumerateMeshes(problem)
  const bySharding = [...allowed].sort((a, b) => a.data - b.data || b.context - a.context)
  for (const mesh of bySharding) {
    setMesh(scale, mesh, model.extents, problem.assumptions.tokensDivideFreely)
    for (const { microbatches, sequences } of microbatchChoices(mesh, problem)) {
      setBatch(scale, sequences)
      const compute = computeNumbers(model, scale)
      for (const zeroStage of zeroChoices(mesh, problem)) {
        const memory = memoryNumbers(model, stageModel(model, zeroStage), scale)
        for (const schedule of scheduleChoices(mesh, problem, microbatches)) {
          if (!choiceAllowed(problem.constraints, zeroStage, microbatches, schedule)) continue
          const cuts = stageCuts(model, mesh.pipeline, schedule, microbatches, compute)
          const fits = cuts !== null && anyCutFits(cuts, memory, problem)
          if (fits && placements(problem.cluster.network, mesh).length > 0) return true
        }
      }
    }
  }
  return false
}
