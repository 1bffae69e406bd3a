/** The sizes of instance that a pool may be cut into, once for each framework that may launch a deployment of them. */
import type { Cluster } from './hardware/cluster/cluster.ts'
import { type InferenceModel, inferenceModel } from './inference/model.ts'
import { servables } from './launch/serving.ts'
import type { InstanceSize } from './modes/serve/instance.ts'
import { instanceSize } from './modes/serve/instance-size.ts'
import type { ServeProblem } from './problem.ts'

export interface SizesByServer {
  readonly byServer: readonly (readonly InstanceSize[])[]
  /** True when a framework must launch the deployments; otherwise there is one list, of all that fits. */
  readonly filtered: boolean
}

/** Takes sizes that are already made for another pool of the same problem from `known`. */
export function sizesByServer(
  problem: ServeProblem,
  parts: readonly Cluster[],
  known: readonly (readonly InstanceSize[])[] = [],
): SizesByServer {
  const by = servables(problem, parts)
  const pooled = inferenceModel(problem)
  const byServer = (by ?? [null]).map((servable, at) =>
    sizesOf(problem, { ...pooled, servable }, parts, known[at]),
  )
  return { byServer, filtered: by !== null }
}

/** The sizes whether or not a framework launches what they make. */
export function anySizes(problem: ServeProblem, parts: readonly Cluster[]): readonly InstanceSize[] {
  return sizesOf(problem, inferenceModel(problem), parts)
}

function sizesOf(
  problem: ServeProblem,
  pooled: InferenceModel,
  parts: readonly Cluster[],
  known: readonly InstanceSize[] = [],
): readonly InstanceSize[] {
  const keys = new Map(known.map((size) => [JSON.stringify(size.cluster), size]))
  return parts.map((part) => keys.get(JSON.stringify(part)) ?? instanceSize(problem, pooled, part))
}
