/**
 * Prefill: passes all prompts through the model once. A pipeline takes them in groups, and each prompt in chunks, so
 * that its stages work at the same time; how many of each is chosen with the mesh. Without a pipeline one pass takes
 * all.
 */
import { offersOf } from '../../inference/layout/servable.ts'
import { type Demand, inferenceMeshes, type MeshesOf } from '../../inference/meshes.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { leastSeconds } from '../../inference/pass/arrangement.ts'
import { contextGroups } from '../../inference/pass/contexts.ts'
import { type Pass, prefillPass } from '../../inference/pass/pass.ts'
import { memoryRoom } from '../../inference/pass/pass-numbers.ts'
import type { Phase } from '../../inference/phase.ts'
import { waysOf } from '../../inference/time/halves.ts'
import { benchOf } from '../../inference/workbench.ts'
import { known, remembered } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { InferenceRun, PrefillWorkload } from '../../problem.ts'
import { type Mesh, meshKey, replicasOf } from '../../sharding/axis.ts'

export function prefillPhase(
  model: InferenceModel,
  problem: InferenceRun<PrefillWorkload>,
  stop: Stop = never,
  meshesOf: MeshesOf = inferenceMeshes,
): Phase {
  const bench = benchOf(model)
  const { model: transformer, workload } = problem
  const { batchSequences, cachedPrefixLength, chunkTokens } = workload
  const fresh = freshPositions(workload)
  // Shared by all placements of a mesh.
  const passes = new Map<string, readonly Pass[]>()
  const passesOf = (mesh: Mesh): readonly Pass[] =>
    known(passes, meshKey(mesh), () => prefillPasses(problem, mesh))
  return {
    bench,
    mode: 'prefill',
    workload,
    positions: longestPrompt(workload),
    offers: (mesh, wanted) => offersOf(model, mesh, 'prefill', batchSequences, wanted),
    meshes: meshesOf(problem, prefillDemand(workload), stop),
    passes: ({ mesh }) => passesOf(mesh),
    lower: (mesh, offered) => {
      const bytes = memoryRoom(bench, mesh, offered)
      const fits = remembered((pass: Pass) => bytes(pass) <= problem.memoryBudget)
      const ways = passesOf(mesh)
      // Times are asked where anything fits, and then memory of the fastest first: nearly always the first of them fits.
      if (!ways.some(fits)) return null
      const timed = ways.map((pass) => ({ pass, seconds: leastSeconds(bench, mesh, pass, offered) }))
      timed.sort((a, b) => a.seconds - b.seconds)
      return timed.find(({ pass }) => fits(pass))?.seconds ?? null
    },
    leastPass: (mesh) => {
      const { pipeline } = mesh
      const groups = pipeline > 1 ? Math.ceil(batchSequences / replicasOf(mesh)) : 1
      const chunk = pipeline > 1 ? chunkOf(fresh, mostChunksOf(fresh)) : fresh
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

/** A prompt may have all positions of the longest request but one. */
export function longestPrompt({ promptLength, contextLength }: PrefillWorkload): number {
  return contextLength === undefined ? promptLength : contextLength - 1
}

/** Positions of a prompt whose keys and values are not cached yet. */
function freshPositions({ promptLength, cachedPrefixLength }: PrefillWorkload): number {
  return promptLength - cachedPrefixLength
}

/**
 * The most chunks tried for a prompt, and the fewest positions of one, if the request sets no chunk size: servers' own sizes begin with 2048 (vLLM's
 * `--max-num-batched-tokens`, SGLang's `--chunked-prefill-size` on its smallest GPUs), and no pipeline has been published with smaller ones.
 */
const [mostChunks, leastChunk] = [512, 2048]

function mostChunksOf(fresh: number): number {
  return Math.min(mostChunks, Math.ceil(fresh / leastChunk))
}

/** Positions of a chunk where a prompt has so many: the last may have fewer, as servers cut whole sizes off. */
function chunkOf(fresh: number, chunks: number): number {
  return Math.min(fresh, Math.max(leastChunk, Math.ceil(fresh / chunks)))
}

/** The most groups and chunks per stage: with so many in sequence a pipeline waits less than 2 % of the time. */
const mostUnits = 64

function prefillPasses(
  { model, workload, assumptions }: InferenceRun<PrefillWorkload>,
  mesh: Mesh,
): readonly Pass[] {
  const [replicas, stages] = [replicasOf(mesh), mesh.pipeline]
  if (stages === 1) return waysOf(assumptions, mesh, prefillPass(model, workload, 1, 1))
  const fresh = freshPositions(workload)
  const each = Math.ceil(workload.batchSequences / replicas)
  const chunkings =
    workload.chunkTokens === undefined
      ? doublings(mostChunksOf(fresh)).map((chunks) => chunkOf(fresh, chunks))
      : [workload.chunkTokens]
  return doublings(each).flatMap((groups) =>
    chunkings
      .filter(
        (chunk) => workload.chunkTokens || chunk >= fresh || groups * (fresh / chunk) <= mostUnits * stages,
      )
      .map((chunkTokens) => prefillPass(model, { ...workload, chunkTokens }, groups, stages)),
  )
}

/** Powers of two below a number, and the number itself. */
function doublings(most: number): readonly number[] {
  const counts: number[] = []
  for (let count = 1; count < most; count *= 2) counts.push(count)
  return [...counts, most]
}
