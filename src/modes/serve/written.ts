/**
 * The pairs that a written deployment may mean: instances as it describes them, with everything else chosen by a
 * search. If it must be launchable, both phases of a server share one mesh, so that a mesh written for one phase holds
 * for the other.
 */
import { present } from '../../fields.ts'
import type { Given } from '../../inference/sites.ts'
import { sketchedPlacements } from '../../plan/sketch/sketched-placement.ts'
import type { InstanceSketch, ServeSketch } from '../../plan-sketch.ts'
import { axes, type Mesh, meshSize, replicasOf } from '../../sharding/axis.ts'
import { within } from './deployments.ts'
import { generatesOn } from './generates.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from './instance.ts'
import { readsLongest } from './longest.ts'
import { apart, type Limits, type Pair, together } from './pair.ts'
import { type GivenPrefill, prefillsBeside, prefillsOn } from './prefills.ts'
import type { Requests } from './requests.ts'
import { undominatedApart, undominatedBeside } from './undominated.ts'

/** With `alike` both phases lie as one server has them, though no framework has to launch it. */
export function writtenPairs(
  sizes: readonly InstanceSize[],
  sketch: ServeSketch,
  disaggregated: boolean,
  requests: Requests,
  alike = false,
): readonly Pair[] {
  const { maxSequences: sequences, stepTokens, generate = {}, prefill = {} } = sketch
  const limits: Limits = { sequences, stepTokens }
  const perToken = sequences === undefined ? requests.maxPerToken : Number.POSITIVE_INFINITY
  const generatesWith = (written: InstanceSketch) =>
    sizes.filter((size) => isOf(size, written)).flatMap((size) => generatesFor(size, written, perToken))
  if (disaggregated) {
    const prefills = sizes
      .filter((size) => isOf(size, prefill))
      .flatMap((size) => undominatedApart(holdingAmong(prefillsFor(size, prefill, requests), requests)))
    return generatesWith(generate).flatMap((one) =>
      prefills.flatMap((other) => apart(other, one, requests, limits) ?? []),
    )
  }
  const shared = (alike || sizes[0]?.bench.servable) && !generate.mesh ? meshOf(prefill) : {}
  return generatesWith({ ...shared, ...generate }).flatMap((one) => {
    if (!isOf(one.size, prefill)) return []
    const prefills = partnersFor(one, prefill, requests, alike)
    return prefills.flatMap((other) => together(other, one, requests, limits) ?? [])
  })
}

/** Whether an instance of this size agrees with the written mesh, topology and slices. */
export function isOf({ cluster }: Pick<InstanceSize, 'cluster'>, written: InstanceSketch): boolean {
  const { mesh, topology, slices } = written
  const { network, chips } = cluster
  if (mesh && meshSize(mesh) !== chips) return false
  if (network.kind === 'switched') return true
  return (
    (topology === undefined || topology.join() === network.topology.join()) &&
    (slices === undefined || slices === network.slices)
  )
}

/** The prompts that an instance reads together as it is written, or the least that its mesh can: one for each replica. */
export function promptsOf({ mesh, batchSequences }: InstanceSketch): number {
  return batchSequences ?? (mesh ? replicasOf(mesh) : 1)
}

function meshOf({ mesh, topology, slices }: InstanceSketch): InstanceSketch {
  return present({ mesh, topology, slices })
}

function generatesFor(
  size: InstanceSize,
  written: InstanceSketch,
  perToken: number,
): readonly GenerateInstance[] {
  const { mesh } = written
  return mesh
    ? generatesOn(size, mesh, { ...givenOf(size, mesh, written), maxTokenSeconds: perToken })
    : size.generates(perToken)
}

function prefillsFor(
  size: InstanceSize,
  written: InstanceSketch,
  requests: Requests,
): readonly PrefillInstance[] {
  const { mesh, batchSequences } = written
  if (mesh) return prefillsOn(size, mesh, givenPrefill(size, mesh, written))
  const found = within(size.prefills(), requests)
  return found.filter(({ prompts }) => batchSequences === undefined || prompts === batchSequences)
}

/** Those that have room for the longest request, where one has. */
function holdingAmong(prefills: readonly PrefillInstance[], requests: Requests): readonly PrefillInstance[] {
  const holding = prefills.filter((instance) => readsLongest(instance, requests))
  return holding.length > 0 ? holding : prefills
}

/** Prefill instances that may read the prompts of a generate instance on its own chips. */
function partnersFor(
  generate: GenerateInstance,
  written: InstanceSketch,
  requests: Requests,
  alike: boolean,
): readonly PrefillInstance[] {
  const { size, site } = generate
  if (!(alike || size.bench.servable)) {
    return undominatedBeside(prefillsFor(size, written, requests), generate)
  }
  if (written.mesh && !isSame(written.mesh, site.mesh)) return []
  if (size.bench.servable?.serves(size.bench.setting, generate.chosen) === false) return []
  return undominatedBeside(prefillsBeside(generate, givenPrefill(size, site.mesh, written)), generate)
}

function isSame(one: Mesh, other: Mesh): boolean {
  return axes.every((axis) => one[axis] === other[axis])
}

function givenOf({ cluster }: InstanceSize, mesh: Mesh, { layout, placement }: InstanceSketch): Given {
  return {
    ...(layout ? { layout } : {}),
    ...(placement ? { placements: sketchedPlacements({ cluster }, { mesh, placement }).meant } : {}),
  }
}

function givenPrefill(size: InstanceSize, mesh: Mesh, written: InstanceSketch): GivenPrefill {
  const { batchSequences: prompts, microbatches: units } = written
  return { ...givenOf(size, mesh, written), prompts, units }
}
