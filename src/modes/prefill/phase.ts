/**
 * Prefill: all prompts once through the model. A pipeline takes them in groups, and a prompt in chunks, so that stages
 * work side by side: how many of each is chosen with the mesh. Without a pipeline one pass takes all of them.
 */

import { offersOf } from '../../inference/layout/servable.ts'
import { type Demand, inferenceMeshes, type MeshesOf } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { leastSeconds } from '../../inference/pass/arrangement.ts'
import { contextGroups } from '../../inference/pass/contexts.ts'
import { type Pass, prefillPass } from '../../inference/pass/pass.ts'
import { memoryRoom } from '../../inference/pass/pass-numbers.ts'
import type { Phase } from '../../inference/phase.ts'
import { waysOf } from '../../inference/time/beside.ts'
import { createWorkbench } from '../../inference/workbench.ts'
import { known } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { InferenceProblem, PrefillWorkload } from '../../problem.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'

export function prefillPhase(
  model: InferenceModel,
  problem: InferenceProblem<PrefillWorkload>,
  stop: Stop = never,
  meshesOf: MeshesOf = inferenceMeshes,
): Phase {
  const bench = createWorkbench(model)
  const { model: transformer, workload } = problem
  const { batchSequences, promptLength, cachedPrefixLength, chunkTokens } = workload
  const fresh = freshPositions(workload)
  // The placements of a mesh share its passes, and what is worked out of them.
  const passes = new Map<string, readonly Pass[]>()
  const passesOf = (mesh: Mesh): readonly Pass[] =>
    known(passes, `${Object.values(mesh)}`, () => prefillPasses(problem, mesh))
  return {
    bench,
    mode: 'prefill',
    workload,
    positions: promptLength,
    offers: (mesh, wanted) => offersOf(model, mesh, 'prefill', batchSequences, wanted),
    meshes: meshesOf(problem, prefillDemand(workload), stop),
    passes: ({ mesh }) => passesOf(mesh),
    lower: (mesh, offered) => {
      const bytes = memoryRoom(bench, mesh, offered)
      const fitting = passesOf(mesh).filter((pass) => bytes(pass) <= problem.memoryBudget)
      if (fitting.length === 0) return null
      return Math.min(...fitting.map((pass) => leastSeconds(bench, mesh, pass, offered)))
    },
    leastPass: (mesh) => {
      const { pipeline } = mesh
      const groups = pipeline > 1 ? Math.ceil(batchSequences / replicasOf(mesh)) : 1
      const chunk = pipeline > 1 ? Math.ceil(fresh / mostChunks) : fresh
      return prefillPass(transformer, { ...workload, chunkTokens: chunkTokens ?? chunk }, groups, pipeline)
    },
    score: (_, seconds) => seconds,
    work: () => ({
      sequences: batchSequences,
      positions: fresh,
      headPositions: 1,
      contexts: contextGroups(transformer, cachedPrefixLength, fresh),
    }),
    tokens: () => batchSequences * fresh,
  }
}

export function prefillDemand(workload: PrefillWorkload): Demand {
  return { sequences: workload.batchSequences, positions: freshPositions(workload) }
}

/** Positions whose keys and values are not there already. */
function freshPositions({ promptLength, cachedPrefixLength }: PrefillWorkload): number {
  return promptLength - cachedPrefixLength
}

/** At most so many chunks are tried of a prompt that names none: beyond it they are too small for the matmuls. */
const mostChunks = 32

/** Per stage: with so many units one behind the other a pipeline waits for less than two per cent. */
const mostUnits = 64

function prefillPasses(
  { model, workload, assumptions }: InferenceProblem<PrefillWorkload>,
  mesh: Mesh,
): readonly Pass[] {
  const [replicas, stages] = [replicasOf(mesh), mesh.pipeline]
  if (stages === 1) return waysOf(assumptions, mesh, prefillPass(model, workload, 1, 1))
  const fresh = freshPositions(workload)
  const each = Math.ceil(workload.batchSequences / replicas)
  const chunkings =
    workload.chunkTokens === undefined
      ? doublings(Math.min(mostChunks, fresh)).map((chunks) => Math.ceil(fresh / chunks))
      : [workload.chunkTokens]
  return doublings(each).flatMap((groups) =>
    chunkings
      .filter(
        (chunk) => workload.chunkTokens || chunk >= fresh || groups * (fresh / chunk) <= mostUnits * stages,
      )
      .map((chunkTokens) => prefillPass(model, { ...workload, chunkTokens }, groups, stages)),
  )
}

/** 1, 2, 4, ... and the number itself. */
function doublings(most: number): readonly number[] {
  const counts: number[] = []
  for (let count = 1; count < most; count *= 2) counts.push(count)
  return [...counts, most]
}
