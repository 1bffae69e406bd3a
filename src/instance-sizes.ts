/** The sizes of instance that a pool may be cut into, once for each framework that may launch a deployment of them. */
import type { Cluster } from './hardware/cluster/cluster.ts'
import type { Servable } from './inference/layout/served.ts'
import { inferenceModel } from './inference/model.ts'
import { known, rememberedOf } from './known.ts'
import { servables } from './launch/servable.ts'
import type { InstanceSize } from './modes/serve/instance.ts'
import { instanceSize } from './modes/serve/instance-size.ts'
import { keptByPartSetting, partText } from './modes/serve/part-setting.ts'
import type { ServeProblem } from './problem.ts'

export interface SizesByServer {
  readonly byServer: readonly (readonly InstanceSize[])[]
  /** True when a framework must launch the deployments; otherwise there is one list, of all that fits. */
  readonly filtered: boolean
}

export function sizesByServer(problem: ServeProblem, parts: readonly Cluster[]): SizesByServer {
  const by = servables(problem, parts)
  const byServer = (by ?? [null]).map((servable) => sizesOf(problem, servable, parts))
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
): readonly InstanceSize[] {
  const sizes = keptSizes(problem)
  return parts.map((part) => {
    const key = `${servable?.host(part) ?? ''} ${partText(part)}`
    return known(sizes, key, () => instanceSize(problem, { ...pooled(problem), servable }, part))
  })
}

const pooled = rememberedOf((problem: ServeProblem) => inferenceModel(problem))

/** What a server sustains is asked of one deployment after another. */
const keptSizes = keptByPartSetting<InstanceSize>()
