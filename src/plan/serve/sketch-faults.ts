/** Finds what is illegal in a written deployment, with pointers into the request: first in each phase as a plan of its own, then in both together. */
import { compact } from '../../compact.ts'
import { present } from '../../fields.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { inferenceModel } from '../../inference/model.ts'
import { sitesOf } from '../../inference/sites.ts'
import { type PhaseMode, phaseModes } from '../../modes/names.ts'
import { phaseOf } from '../../modes/phases.ts'
import { holds, type Instances, instanceClusters, lackedHosts } from '../../modes/serve/pool.ts'
import { generateWorkload, longestOf, prefillWorkload } from '../../modes/serve/requests.ts'
import { isOf, promptsOf } from '../../modes/serve/written.ts'
import type { InferenceSketch, InstanceSketch, ServeSketch } from '../../plan-sketch.ts'
import type { PhaseProblem, ServeProblem } from '../../problem.ts'
import type { PlanFault, Way } from '../../rules/part-rule.ts'
import { type Mesh, meshSize } from '../../sharding/axis.ts'
import { inferenceSketchFaults } from '../inference/sketch-faults.ts'
import { sketchedPlacements } from '../sketch/sketched-placement.ts'

/** `parts` are the clusters that an instance may have. Both phases have to be legal before they are tested together. */
export function serveSketchFaults(
  problem: ServeProblem,
  sketch: ServeSketch,
  parts: readonly Cluster[],
): readonly PlanFault[] {
  const { prefill = {}, generate = {} } = sketch
  const own = [
    ...phaseFaults(problem, 'prefill', prefill, parts),
    ...phaseFaults(problem, 'generate', generate, parts),
  ]
  return own.length > 0
    ? own
    : [...sharedFaults(sketch), ...countFaults(problem, sketch, parts), ...limitFaults(problem, sketch)]
}

function phaseFaults(
  problem: ServeProblem,
  phase: PhaseMode,
  written: InstanceSketch,
  parts: readonly Cluster[],
): readonly PlanFault[] {
  const { mesh } = written
  if (!mesh) return []
  const meant = parts.filter((cluster) => isOf({ cluster }, written))
  const chips = meshSize(mesh)
  if (meant.length === 0) {
    const { topology, ...open } = written
    const ofSlice = topology !== undefined && parts.some((cluster) => isOf({ cluster }, open))
    const detail = ofSlice
      ? `no instance of ${chips} chips has a slice of ${topology.join('x')} in the pool`
      : `an instance of ${chips} chips does not fit into the pool of ${problem.cluster.chips}`
    const nearest = ofSlice ? [] : partsNext(problem, phase, written, mesh)
    const pointer = `/plan/${phase}/${ofSlice ? 'topology' : 'mesh'}`
    return [{ pointer, detail, ...(nearest.length > 0 ? { nearest } : {}) }]
  }
  // Another part of the pool may have room for what this one has not.
  const faults = meant.map((cluster) =>
    faultsOn(phaseProblem({ ...problem, cluster }, phase, written), written, mesh),
  )
  if (faults.some(({ length }) => length === 0)) return []
  const [first = []] = faults
  return first.map(({ pointer, nearest, ...fault }) => ({
    ...fault,
    ...within(phase, { pointer }),
    ...(nearest ? { nearest: nearest.map((way) => way.map((change) => within(phase, change))) } : {}),
  }))
}

/** Moves a fault's pointers from `/plan` to the plan of one phase. */
function within<Pointed extends { readonly pointer: string }>(phase: PhaseMode, pointed: Pointed): Pointed {
  return { ...pointed, pointer: pointed.pointer.replace(/^\/plan\//, `/plan/${phase}/`) }
}

/** Ways to the next smaller and the next larger mesh that an instance may have. */
function partsNext(
  problem: ServeProblem,
  phase: PhaseMode,
  written: InstanceSketch,
  mesh: Mesh,
): readonly Way[] {
  const all = instanceClusters(problem.cluster)
  const chips = meshSize(mesh)
  const next = [all.findLast((part) => part.chips < chips), all.find((part) => part.chips > chips)]
  return next.flatMap((cluster) => {
    if (!cluster) return []
    const faults = faultsOn(phaseProblem({ ...problem, cluster }, phase, written), written, mesh)
    const [way] = faults.flatMap(({ nearest = [] }) => nearest)
    return way ? [way.map((change) => within(phase, change))] : []
  })
}

/** The phase as a problem of its own; the batch of generation is `max`, as it follows from the load. */
function phaseProblem(
  { workload, ...setting }: ServeProblem,
  phase: PhaseMode,
  written: InstanceSketch,
): PhaseProblem {
  return phase === 'prefill'
    ? { ...setting, workload: prefillWorkload(workload, promptsOf(written)) }
    : { ...setting, workload: generateWorkload(workload, 'max') }
}

function faultsOn(
  problem: PhaseProblem,
  { layout = {}, placement, batchSequences, microbatches, microbatchTokens }: InstanceSketch,
  mesh: InferenceSketch['mesh'],
): readonly PlanFault[] {
  const free = { ...problem, constraints: {} }
  const model = inferenceModel(free)
  const reads = problem.workload.mode === 'prefill'
  const sketch: InferenceSketch = {
    ...{ mesh, layout },
    ...present({ placement }),
    ...(reads ? present({ batchSequences, microbatches, microbatchTokens }) : {}),
  }
  const placed = sketchedPlacements(problem, sketch)
  const sites = sitesOf(model, mesh, { layout, placements: placed.meant })
  const tried = { sites, placement: placed.faults, phase: phaseOf(model, free) }
  return inferenceSketchFaults(model, free, sketch, tried)
}

/** A server that does both phases has one number of chips, and there is one number of such servers. */
function sharedFaults({ disaggregated, prefill = {}, generate = {} }: ServeSketch): readonly PlanFault[] {
  if (disaggregated !== false) return []
  const [reads, makes] = [prefill, generate].map(({ mesh }) => mesh && meshSize(mesh))
  const [readers, makers] = [prefill.instances, generate.instances]
  const differ = (a?: number, b?: number) => a !== undefined && b !== undefined && a !== b
  return compact<PlanFault>(
    differ(reads, makes) && {
      pointer: '/plan/prefill/mesh',
      detail: `a server that does both phases has the same chips for both: its prefill has ${reads}, its generation ${makes}`,
    },
    differ(readers, makers) && {
      pointer: '/plan/prefill/instances',
      detail: `servers that do both phases have one number of instances, not ${readers} for prefill and ${makers} for generation`,
    },
  )
}

/** The instances have to fit into the pool; an instance without a written size counts with the smallest. */
function countFaults(
  { cluster }: ServeProblem,
  { disaggregated, prefill = {}, generate = {} }: ServeSketch,
  parts: readonly Cluster[],
): readonly PlanFault[] {
  const kinds = [prefill, generate].map((phase): Instances | null => {
    const smallest = parts.find((part) => isOf({ cluster: part }, phase))
    return smallest && phase.instances !== undefined ? { cluster: smallest, count: phase.instances } : null
  })
  const alone = kinds.flatMap((kind, at): readonly PlanFault[] => {
    if (!kind || holds(cluster, [kind])) return []
    const detail = `${kind.count} such instances do not fit into the pool of ${cluster.chips} chips${onHosts(cluster, [kind])}`
    return [{ pointer: `/plan/${phaseModes[at]}/instances`, detail }]
  })
  const both = kinds.filter((kind) => kind !== null)
  if (alone.length > 0 || !disaggregated || both.length < 2 || holds(cluster, both)) return alone
  const detail = `${prefill.instances} instances to prefill and ${generate.instances} to generate do not fit together into the pool of ${cluster.chips} chips${onHosts(cluster, both)}`
  return [{ pointer: '/plan/generate/instances', detail }]
}

function onHosts(cluster: Cluster, kinds: readonly Instances[]): string {
  const lacked = lackedHosts(cluster, kinds)
  if (!lacked) return ''
  const { taken, hosts } = lacked
  return `: they take ${taken} hosts of ${hosts.each} chips, and it has ${hosts.count}`
}

function limitFaults(
  { workload }: ServeProblem,
  { contextLength, maxSequences, stepTokens, disaggregated, prefill = {} }: ServeSketch,
): readonly PlanFault[] {
  const least = longestOf(workload)
  const prompts = disaggregated === false ? promptsOf(prefill) : 0
  return compact<PlanFault>(
    contextLength !== undefined &&
      contextLength < least && {
        pointer: '/plan/contextLength',
        detail: `${contextLength} positions are too few for a request of ${least}`,
        nearest: [[{ pointer: '/plan/contextLength', value: least }]],
      },
    maxSequences !== undefined &&
      stepTokens !== undefined &&
      stepTokens < maxSequences && {
        pointer: '/plan/stepTokens',
        detail: `${stepTokens} tokens per step are fewer than the ${maxSequences} sequences: no server starts with that`,
        nearest: [
          [{ pointer: '/plan/stepTokens', value: maxSequences }],
          [{ pointer: '/plan/maxSequences', value: stepTokens }],
        ],
      },
    maxSequences !== undefined &&
      prompts > 1 &&
      maxSequences <= prompts && {
        pointer: '/plan/maxSequences',
        detail: `${maxSequences} sequences leave none to generate while ${prompts} prompts are read together`,
        nearest: [[{ pointer: '/plan/maxSequences', value: prompts + 1 }]],
      },
  )
}
