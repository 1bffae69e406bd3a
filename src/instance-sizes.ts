/** The sizes of instance that a pool may be cut into, once for each framework that may launch a deployment of them. */
import type { Cluster } from './hardware/cluster/cluster.ts'
import type { Servable } from './inference/layout/served.ts'
import { inferenceModel } from './inference/model.ts'
import { known, rememberedOf } from './known.ts'
import { servables } from './launch/servable.ts'
import type { InstanceSize } from './modes/serve/instance.ts'
import { instanceSize } from './modes/serve/instance-size.ts'
import type { ServeProblem } from './problem.ts'

export interface SizesByServer {
  readonly byServer: readonly (readonly InstanceSize[])[]
  /** True when a framework must launch the deployments; otherwise there is one list, of all that fits. */
  readonly filtered: boolean
}

/** Takes sizes that are already made for another pool of the same problem from `given`. */
export function sizesByServer(
  problem: ServeProblem,
  parts: readonly Cluster[],
  given: readonly (readonly InstanceSize[])[] = [],
): SizesByServer {
  const by = servables(problem, parts)
  const byServer = (by ?? [null]).map((servable, at) => sizesOf(problem, servable, parts, given[at]))
  return { byServer, filtered: by !== null }
}

/** The sizes whether or not a framework launches what they make. */
export function anySizes(problem: ServeProblem, parts: readonly Cluster[]): readonly InstanceSize[] {
  return sizesOf(problem, null, parts)
}

function sizesOf(
  problem: ServeProblem,
  servable: Servable | null,
  parts: readonly Cluster[],
  given: readonly InstanceSize[] = [],
): readonly InstanceSize[] {
  const keys = new Map(given.map((size) => [textOf(size.cluster), size]))
  const own = made(problem)
  return parts.map((part) => {
    const text = textOf(part)
    const key = `${servable?.host(part) ?? ''} ${text}`
    return (
      keys.get(text) ?? known(own, key, () => instanceSize(problem, { ...pooled(problem), servable }, part))
    )
  })
}

/** Kept with the problem, as its parts are (modes/serve/part.ts): what a server sustains is asked of one deployment after another. */
const made = rememberedOf((_: ServeProblem) => new Map<string, InstanceSize>())

const pooled = rememberedOf((problem: ServeProblem) => inferenceModel(problem))

const textOf = rememberedOf((cluster: Cluster) => JSON.stringify(cluster))
